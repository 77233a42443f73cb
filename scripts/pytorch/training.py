"""A small transformer learns to copy, on CUDA tensors and on the CPU's: the losses are the same.

    warpsim exec -- python training.py
"""

import sys

import torch
from torch import nn

STEPS = 12


def model():
    layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    return nn.Sequential(nn.Embedding(50, 32), encoder, nn.Linear(32, 50))


def losses(device, fused):
    torch.manual_seed(0)
    net, words = model(), torch.randint(0, 50, (8, 16))
    net, words, wanted = net.to(device), words.to(device), words.roll(-1, 1).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2, fused=fused)
    said = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(words).flatten(0, 1), wanted.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        said.append(loss.item())
    return said


def main():
    torch.set_num_threads(1)
    is_right = True
    for fused in (False, True):
        host, device = losses("cpu", fused), losses("cuda", fused)
        is_right &= host == device and device[-1] < device[0] / 2
        print(f"training: fused={fused}: loss from {device[0]:.4f} to {device[-1]:.4f} in {STEPS} "
              f"steps, {'equal to' if host == device else 'not'} the CPU's")
    return int(not is_right)


if __name__ == "__main__":
    sys.exit(main())
