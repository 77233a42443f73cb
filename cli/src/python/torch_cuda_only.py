"""Operations of PyTorch that exist for CUDA alone, in terms of others that have a route.

They give what the CPU gives for the operation that a user calls: attention, normalisation,
dropout. In which direction they can be wrong: what only feeds the backward pass of a GPU (the
state of a generator, a reserve) is empty.
"""

MATH, FLASH, EFFICIENT = 0, 1, 2


def operations(torch):
    """The functions by the names of operations, for a given `torch`."""
    aten = torch.ops.aten
    made = {}

    def operation(*names):
        def keep(function):
            made.update(dict.fromkeys(names, function))
            return function
        return keep

    # ---- attention ----

    flash_of_cpu = aten._scaled_dot_product_flash_attention_for_cpu
    flash_of_cpu_backward = aten._scaled_dot_product_flash_attention_for_cpu_backward

    @operation("_fused_sdp_choice")
    def choice(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None,
               enable_gqa=False):
        floats = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
        is_fit = (query.dim() == key.dim() == value.dim() == 4 and dropout_p == 0.0
                  and query.dtype in floats and query.dtype == key.dtype == value.dtype
                  and query.size(1) == key.size(1) == value.size(1)
                  and query.size(0) == key.size(0) == value.size(0)
                  and query.size(3) == key.size(3) == value.size(3)
                  and min(query.numel(), key.numel()) > 0
                  and all(t.stride(-1) == 1 for t in (query, key, value)))
        context = torch._C
        if is_fit and attn_mask is None and context._get_flash_sdp_enabled():
            return FLASH
        is_fit = is_fit and not is_causal and (attn_mask is None or (
            not attn_mask.requires_grad and attn_mask.dim() in (2, 4)))
        if is_fit and context._get_mem_efficient_sdp_enabled():
            return EFFICIENT
        return MATH

    def nothing(like):
        return torch.zeros((), dtype=torch.int64, device=like.device)

    # What a GPU keeps of its generator's state, for the backward pass to draw again, is the mask of
    # dropout itself here.

    def weights(query, key, bias, is_causal, scale):
        scale = query.size(-1) ** -0.5 if scale is None else scale
        scores = torch.matmul(query, key.transpose(-2, -1)) * scale
        if is_causal:
            later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).triu(1)
            scores = scores.masked_fill(later, float("-inf"))
        if bias is not None:
            scores = scores + bias
        return scores, scale

    def with_dropout(query, key, value, bias, p, is_causal, scale):
        scores, _ = weights(query, key, bias, is_causal, scale)
        mask = torch.empty_like(scores, dtype=torch.bool).bernoulli_(1.0 - p)
        kept = torch.softmax(scores, -1) * mask / (1.0 - p)
        return torch.matmul(kept, value), torch.logsumexp(scores.float(), -1), mask

    def with_dropout_backward(grad, query, key, value, bias, mask, p, is_causal, scale):
        scores, scale = weights(query, key, bias, is_causal, scale)
        attention = torch.softmax(scores, -1)
        of_value = torch.matmul((attention * mask / (1.0 - p)).transpose(-2, -1), grad)
        of_attention = torch.matmul(grad, value.transpose(-2, -1)) * mask / (1.0 - p)
        inner = (of_attention * attention).sum(-1, keepdim=True)
        of_scores = attention * (of_attention - inner)
        of_query = torch.matmul(of_scores, key) * scale
        of_key = torch.matmul(of_scores.transpose(-2, -1), query) * scale
        return of_query, of_key, of_value, of_scores

    def attention(query, key, value, bias, p, is_causal, scale):
        if p > 0.0:
            return with_dropout(query, key, value, bias, p, is_causal, scale)
        out, sums = flash_of_cpu(query, key, value, 0.0, is_causal, attn_mask=bias, scale=scale)
        return out, sums, nothing(query)

    def attention_backward(grad, query, key, value, bias, out, sums, mask, p, is_causal, scale):
        if p > 0.0:
            return with_dropout_backward(grad, query, key, value, bias, mask, p, is_causal, scale)
        grads = flash_of_cpu_backward(grad, query, key, value, out, sums, 0.0, is_causal,
                                      attn_mask=bias, scale=scale)
        return (*grads, None)

    @operation("_scaled_dot_product_flash_attention")
    def flash(query, key, value, dropout_p=0.0, is_causal=False, return_debug_mask=False, *,
              scale=None):
        out, sums, mask = attention(query, key, value, None, dropout_p, is_causal, scale)
        empty = query.new_empty((0,))
        return out, sums, None, None, query.size(2), key.size(2), mask, nothing(query), empty

    @operation("_scaled_dot_product_flash_attention_backward")
    def flash_backward(grad_out, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, max_q,
                       max_k, dropout_p, is_causal, philox_seed, philox_offset, *, scale=None):
        return attention_backward(grad_out, query, key, value, None, out, logsumexp, philox_seed,
                                  dropout_p, is_causal, scale)[:3]

    @operation("_scaled_dot_product_efficient_attention")
    def efficient(query, key, value, attn_bias, compute_log_sumexp, dropout_p=0.0, is_causal=False,
                  *, scale=None):
        out, sums, mask = attention(query, key, value, attn_bias, dropout_p, is_causal, scale)
        return out, sums, mask, nothing(query)

    @operation("_scaled_dot_product_efficient_attention_backward")
    def efficient_backward(grad_out, query, key, value, attn_bias, out, logsumexp, philox_seed,
                           philox_offset, dropout_p, grad_input_mask, is_causal=False, *,
                           scale=None):
        *grads, of_scores = attention_backward(grad_out, query, key, value, attn_bias, out,
                                               logsumexp, philox_seed, dropout_p, is_causal, scale)
        if not grad_input_mask[3]:
            return (*grads, None)
        if of_scores is None:
            of_scores = attention_backward(grad_out, query, key, value, attn_bias, out, logsumexp,
                                           True, 1e-300, is_causal, scale)[3]
        return (*grads, of_scores.sum_to_size(attn_bias.shape))

    @operation("_scaled_dot_product_cudnn_attention")
    def cudnn(query, key, value, attn_bias, compute_log_sumexp, dropout_p=0.0, is_causal=False,
              return_debug_mask=False, *, scale=None):
        out, sums, mask = attention(query, key, value, attn_bias, dropout_p, is_causal, scale)
        return out, sums, None, None, query.size(2), key.size(2), mask, nothing(query), None

    @operation("_scaled_dot_product_cudnn_attention_backward")
    def cudnn_backward(grad_out, query, key, value, out, logsumexp, philox_seed, philox_offset,
                       attn_bias, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, *,
                       scale=None):
        return attention_backward(grad_out, query, key, value, attn_bias, out, logsumexp,
                                  philox_seed, dropout_p, is_causal, scale)[:3]

    # Attention over sequences that lie one after the other, which nested tensors and libraries
    # call: (tokens, heads, numbers), with the first token of each sequence; or a batch of sequences
    # of one length. Each sequence is computed by itself.

    def refuse_more(**more):
        for name, given in more.items():
            if given is not None:
                raise NotImplementedError(
                    f"warpsim: attention with `{name}` has no kernel for the CPU")

    def sequences(query, key, value, first_q, first_k):
        """The sequences, each as (1, heads, tokens, numbers)."""
        if first_q is None:
            whole = zip(query, key, value)
        else:
            query, key, value = (t.flatten(0, -3) for t in (query, key, value))
            of_query, of_key = first_q.tolist(), first_k.tolist()
            whole = ((query[a:b], key[c:d], value[c:d]) for a, b, c, d
                     in zip(of_query, of_query[1:], of_key, of_key[1:]))
        return [tuple(t.transpose(0, 1).unsqueeze(0) for t in one) for one in whole]

    def spread(heads, one):
        """Keys or values for as many heads as there are of queries."""
        return one.repeat_interleave(heads // one.size(1), 1) if heads != one.size(1) else one

    def together(one, like):
        """Sums for heads that share a key or a value."""
        heads = like.size(1)
        return one.unflatten(1, (heads, -1)).sum(2) if one.size(1) != heads else one

    def causal_bias(query, key, kind, bias):
        """A mask for sequences of different lengths, whose last tokens stand beside each other."""
        rows, columns = query.size(2), key.size(2)
        if kind != 2 or rows == columns:
            return bias, kind != 0
        later = torch.ones(rows, columns, dtype=torch.bool, device=query.device)
        later = later.triu(1 + columns - rows)
        mask = torch.zeros(rows, columns, dtype=query.dtype, device=query.device)
        mask = mask.masked_fill(later, float("-inf"))
        return (mask if bias is None else bias + mask), False

    def packed(query, key, value, bias, first_q, first_k, p, kind, scale):
        parts = sequences(query, key, value, first_q, first_k)
        out, sums, masks = torch.empty_like(query, memory_format=torch.contiguous_format), [], []
        out = out if value.size(-1) == query.size(-1) else query.new_empty(
            (*query.shape[:-1], value.size(-1)))
        into = sequences(out, out, out, first_q, first_q)
        for index, (q, k, v) in enumerate(parts):
            of_this = None if bias is None else bias[index:index + 1]
            mask, is_causal = causal_bias(q, k, kind, of_this)
            k, v = spread(q.size(1), k), spread(q.size(1), v)
            one, total, dropped = attention(q, k, v, mask, p, is_causal, scale)
            into[index][0].copy_(one)
            sums.append(total.flatten(0, 1))
            masks.append(dropped.flatten())
        state = torch.cat(masks) if p > 0.0 else nothing(query)
        sums = torch.cat(sums, -1) if sums else query.new_empty((query.size(-2), 0))
        return out, sums, state

    def packed_backward(grad, query, key, value, bias, first_q, first_k, p, kind, scale, state):
        grads = [torch.zeros_like(t, memory_format=torch.contiguous_format)
                 for t in (query, key, value)]
        parts = sequences(query, key, value, first_q, first_k)
        into = sequences(*grads, first_q, first_k)
        given = sequences(grad, grad, grad, first_q, first_q)
        at = 0
        for index, (q, k, v) in enumerate(parts):
            of_this = None if bias is None else bias[index:index + 1]
            mask, is_causal = causal_bias(q, k, kind, of_this)
            wide_k, wide_v = spread(q.size(1), k), spread(q.size(1), v)
            out = sums = dropped = None
            if p > 0.0:
                shape = (1, q.size(1), q.size(2), k.size(2))
                count = q.size(1) * q.size(2) * k.size(2)
                dropped, at = state[at:at + count].view(shape), at + count
            else:
                out, sums, _ = attention(q, wide_k, wide_v, mask, p, is_causal, scale)
            of_q, of_k, of_v, _ = attention_backward(
                given[index][0], q, wide_k, wide_v, mask, out, sums, dropped, p, is_causal, scale)
            for to, one in zip(into[index], (of_q, together(of_k, k), together(of_v, v))):
                to.copy_(one)
        return tuple(grads)

    @operation("_flash_attention_forward")
    def packed_flash(query, key, value, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal,
                     return_debug_mask, *, scale=None, window_size_left=None,
                     window_size_right=None, **more):
        windows = [None if size == -1 else size for size in (window_size_left, window_size_right)]
        refuse_more(window_size_left=windows[0], window_size_right=windows[1], **more)
        out, sums, state = packed(query, key, value, None, cum_seq_q, cum_seq_k, dropout_p,
                                  2 * is_causal, scale)
        return out, sums, state, nothing(query), query.new_empty((0,))

    @operation("_flash_attention_backward")
    def packed_flash_backward(grad_out, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k,
                              max_q, max_k, dropout_p, is_causal, rng_state, unused, *, scale=None,
                              window_size_left=None, window_size_right=None):
        return packed_backward(grad_out, query, key, value, None, cum_seq_q, cum_seq_k, dropout_p,
                               2 * is_causal, scale, rng_state)

    @operation("_efficient_attention_forward")
    def packed_efficient(query, key, value, bias, cu_seqlens_q, cu_seqlens_k, max_seqlen_q,
                         max_seqlen_k, dropout_p, custom_mask_type, compute_log_sumexp=False, *,
                         scale=None, seqlen_k=None, window_size=None):
        refuse_more(seqlen_k=seqlen_k, window_size=window_size,
                    bias=bias if cu_seqlens_q is not None else None)
        out, sums, state = packed(query, key, value, bias, cu_seqlens_q, cu_seqlens_k, dropout_p,
                                  custom_mask_type, scale)
        longest = (query.size(1) if max_seqlen_q is None else max_seqlen_q,
                   key.size(1) if max_seqlen_k is None else max_seqlen_k)
        return out, sums.unsqueeze(0), state, nothing(query), *longest

    @operation("_efficient_attention_backward")
    def packed_efficient_backward(grad_out_, query, key, value, bias, out, cu_seqlens_q,
                                  cu_seqlens_k, max_seqlen_q, max_seqlen_k, logsumexp, dropout_p,
                                  philox_seed, philox_offset, custom_mask_type,
                                  bias_requires_grad, *, scale=None, num_splits_key=None,
                                  window_size=None, shared_storage_dqdkdv=False):
        refuse_more(window_size=window_size, bias=bias if bias_requires_grad else None)
        grads = packed_backward(grad_out_, query, key, value, bias, cu_seqlens_q, cu_seqlens_k,
                                dropout_p, custom_mask_type, scale, philox_seed)
        return (*grads, None)

    # ---- dropout ----

    @operation("_fused_dropout")
    def fused_dropout(self, p, generator=None):
        mask = torch.empty_like(self, dtype=torch.uint8).bernoulli_(p, generator=generator)
        return self * mask * (1.0 / p), mask

    @operation("_masked_scale")
    def masked_scale(self, mask, scale):
        return self * mask * scale

    @operation("multinomial")
    def multinomial(self, num_samples, replacement=False, *, generator=None):
        weights = self if self.is_floating_point() else self.float()
        is_right = (weights >= 0) & (weights < float("inf"))
        if not bool(is_right.all()) or not bool((weights.sum(-1) > 0).all()):
            raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0, "
                               "or invalid multinomial distribution (sum of probabilities <= 0)")
        if not replacement and num_samples > self.size(-1):
            raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without "
                               "replacement")
        if not replacement or num_samples == 1:
            drawn = torch.empty_like(weights).exponential_(1, generator=generator)
            drawn = weights / drawn
            if num_samples == 1:
                return drawn.argmax(-1, keepdim=True)
            return drawn.topk(num_samples).indices
        # Not as on a GPU: by the inverse of the sums.
        sums = weights.double().cumsum(-1)
        drawn = torch.empty((*self.shape[:-1], num_samples), dtype=torch.float64,
                            device=self.device).uniform_(generator=generator)
        found = torch.searchsorted(sums, drawn * sums[..., -1:], right=True)
        return found.clamp(max=self.size(-1) - 1)

    # ---- normalisation, convolution ----

    @operation("cudnn_batch_norm", "miopen_batch_norm")
    def batch_norm(input, weight, bias, running_mean, running_var, training, momentum, epsilon):
        out, mean, deviation = aten.native_batch_norm(
            input, weight, bias, running_mean, running_var, training, momentum, epsilon)
        return out, mean, deviation, input.new_empty((0,), dtype=torch.uint8)

    @operation("cudnn_batch_norm_backward")
    def batch_norm_backward(input, grad_output, weight, running_mean, running_var, save_mean,
                            save_var, epsilon, reserve):
        return aten.native_batch_norm_backward(
            grad_output, input, weight, running_mean, running_var, save_mean, save_var, True,
            epsilon, [True, True, True])

    @operation("cudnn_convolution")
    def convolution(self, weight, padding, stride, dilation, groups, *_):
        return aten.convolution(self, weight, None, stride, padding, dilation, False,
                                [0] * len(padding), groups)

    @operation("cudnn_convolution_transpose")
    def transposed(self, weight, padding, output_padding, stride, dilation, groups, *_):
        return aten.convolution(self, weight, None, stride, padding, dilation, True,
                                output_padding, groups)

    @operation("cudnn_convolution_relu")
    def convolution_relu(self, weight, bias, stride, padding, dilation, groups):
        return aten.convolution(self, weight, bias, stride, padding, dilation, False,
                                [0] * len(padding), groups).relu_()

    @operation("cudnn_convolution_add_relu")
    def convolution_add_relu(self, weight, z, alpha, bias, stride, padding, dilation, groups):
        made = aten.convolution(self, weight, bias, stride, padding, dilation, False,
                                [0] * len(padding), groups)
        return made.add_(z, alpha=1 if alpha is None else alpha).relu_()

    @operation("_use_cudnn_ctc_loss", "_use_cudnn_ctc_loss.Tensor", "_use_miopen_ctc_loss",
               "_use_miopen_ctc_loss.Tensor")
    def never(*_):
        return False

    # ---- cells of recurrent networks ----

    def gates_of(input_gates, hidden_gates, input_bias, hidden_bias):
        if input_bias is None:
            return input_gates, hidden_gates
        return input_gates + input_bias, hidden_gates + hidden_bias

    @operation("_thnn_fused_lstm_cell")
    def lstm(input_gates, hidden_gates, cx, input_bias=None, hidden_bias=None):
        ours, theirs = gates_of(input_gates, hidden_gates, input_bias, hidden_bias)
        into, forget, cell, out = (ours + theirs).chunk(4, 1)
        into, forget, cell, out = into.sigmoid(), forget.sigmoid(), cell.tanh(), out.sigmoid()
        cy = forget * cx + into * cell
        return out * cy.tanh(), cy, torch.cat([into, forget, cell, out], 1)

    @operation("_thnn_fused_lstm_cell_backward_impl")
    def lstm_backward(grad_hy, grad_cy, cx, cy, workspace, has_bias):
        into, forget, cell, out = workspace.chunk(4, 1)
        tanh = cy.tanh()
        grad_hy = torch.zeros_like(cy) if grad_hy is None else grad_hy
        total = grad_hy * out * (1 - tanh * tanh)
        if grad_cy is not None:
            total = total + grad_cy
        gates = torch.cat([
            total * cell * into * (1 - into), total * cx * forget * (1 - forget),
            total * into * (1 - cell * cell), grad_hy * tanh * out * (1 - out)], 1)
        return gates, total * forget, gates.sum(0) if has_bias else None

    @operation("_thnn_fused_gru_cell")
    def gru(input_gates, hidden_gates, hx, input_bias=None, hidden_bias=None):
        ours, theirs = gates_of(input_gates, hidden_gates, input_bias, hidden_bias)
        (ir, iz, inn), (hr, hz, hn) = ours.chunk(3, 1), theirs.chunk(3, 1)
        reset, update = (ir + hr).sigmoid(), (iz + hz).sigmoid()
        new = (inn + reset * hn).tanh()
        hy = (hx - new) * update + new
        return hy, torch.cat([reset, update, new, hx, hn], 1)

    @operation("_thnn_fused_gru_cell_backward")
    def gru_backward(grad_hy, workspace, has_bias):
        reset, update, new, hx, hn = workspace.chunk(5, 1)
        of_update = grad_hy * (hx - new) * update * (1 - update)
        of_new = grad_hy * (1 - update) * (1 - new * new)
        of_reset = of_new * hn * reset * (1 - reset)
        ours = torch.cat([of_reset, of_update, of_new], 1)
        theirs = torch.cat([of_reset, of_update, of_new * reset], 1)
        biases = (ours.sum(0), theirs.sum(0)) if has_bias else (None, None)
        return ours, theirs, grad_hy * update, *biases

    # ---- products with a type of their own for results ----

    def product(function):
        """A product whose result has another type than its factors, into `out` where it is given."""
        def widened(*tensors_and_type, out=None, **named):
            *tensors, out_dtype = tensors_and_type
            named = named if out is None else {**named, "out": out}
            return function(*(t.to(out_dtype) for t in tensors), **named)
        return widened

    for name in ("mm", "bmm", "addmm", "baddbmm"):
        operation(f"{name}.dtype", f"{name}.dtype_out")(product(getattr(torch, name)))

    @operation("_fused_rms_norm_backward")
    def rms_norm_backward(grad_out, input, normalized_shape, rstd, weight, output_mask):
        dims = list(range(input.dim() - len(normalized_shape), input.dim()))
        outer = list(range(input.dim() - len(normalized_shape)))
        x, grad = input.to(rstd.dtype), grad_out.to(rstd.dtype)
        scaled = x * rstd
        of_input = of_weight = None
        if output_mask[1]:
            of_weight = ((grad * scaled).sum(outer) if outer else grad * scaled).to(input.dtype)
        if output_mask[0]:
            by = grad if weight is None else grad * weight
            of_input = ((by - scaled * (by * scaled).mean(dims, True)) * rstd).to(input.dtype)
        return of_input, of_weight

    # ---- nested tensors ----

    @operation("_nested_from_padded")
    def nested_from_padded(padded, sizes, fuse_transform_0213=False):
        if fuse_transform_0213:
            padded = padded.permute(0, 2, 1, 3)
        parts = (padded[(number, *map(slice, size))] for number, size in enumerate(sizes.tolist()))
        return torch.nested.as_nested_tensor(list(parts))

    @operation("_nested_tensor_from_mask")
    def nested_from_mask(tensor, mask, mask_check=True):
        lengths = mask.sum(-1).tolist()
        if mask_check and not torch.equal(mask.bool(), mask.bool().sort(-1, descending=True)[0]):
            raise RuntimeError("Expect input mask to be left aligned")
        return torch.nested.as_nested_tensor([part[:n] for part, n in zip(tensor, lengths)])

    return made


def nested_operations(torch):
    """Operations of nested tensors whose kernels are CUDA's own."""

    def to_padded_tensor(nested, padding, output_size=None):
        parts = nested.unbind()
        most = [max(sizes) for sizes in zip(*(part.shape for part in parts))]
        shape = list(output_size) if output_size is not None else [len(parts), *most]
        padded = torch.full(shape, padding, dtype=nested.dtype, device=nested.device)
        for number, part in enumerate(parts):
            padded[(number, *map(slice, part.shape))] = part
        return padded

    def bmm(left, right):
        pairs = zip(left.unbind(), right.unbind())
        return torch.nested.as_nested_tensor([a @ b for a, b in pairs])

    return {"to_padded_tensor": to_padded_tensor, "bmm": bmm}
