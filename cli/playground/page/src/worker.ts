// The worker: holds the simulator, and answers one request after the other.

interface Simulator {
  memory: WebAssembly.Memory;
  warpsim_room(length: number): number;
  warpsim_answer(): number;
  warpsim_answer_at(): number;
}

interface Asked {
  id: number;
  request: unknown;
}

const scope = self as unknown as {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent<Asked>) => void) | null;
};

let simulator: Simulator | null = null;
/** What a panic has said. */
let panicked = "";

function text(at: number, length: number): string {
  if (!simulator) return "";
  return new TextDecoder().decode(new Uint8Array(simulator.memory.buffer, at >>> 0, length >>> 0));
}

async function load(): Promise<Simulator> {
  const imports = { page: { bug: (at: number, length: number) => (panicked = text(at, length)) } };
  const response = await fetch("warpsim.wasm");
  if (!response.ok) throw new Error(`warpsim.wasm: ${response.status} ${response.statusText}`);
  // Whatever type the server gives the file.
  const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), imports);
  return instance.exports as unknown as Simulator;
}

function answer(to: Simulator, request: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const at = to.warpsim_room(bytes.length) >>> 0;
  new Uint8Array(to.memory.buffer, at, bytes.length).set(bytes);
  const length = to.warpsim_answer();
  return text(to.warpsim_answer_at(), length);
}

const loaded = load();

scope.onmessage = async ({ data: { id, request } }) => {
  try {
    simulator = await loaded;
    const started = performance.now();
    const json = answer(simulator, request);
    scope.postMessage({ id, answer: JSON.parse(json), milliseconds: performance.now() - started });
  } catch (error) {
    scope.postMessage({ id, failed: panicked || String(error) });
  }
};
