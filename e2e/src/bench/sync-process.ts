import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { collect, endProcess, finish } from '../harness/product.ts';
import { peakOf } from './proc.ts';

const pathOf = (place: string): string => fileURLToPath(new URL(place, import.meta.url));

/** What is published of the tool, apart from its sources, which its launcher would prefer. */
const publishedTool = (): string => {
  const place = pathOf('../../out/bench/sync-tool');
  for (const folder of ['bin', 'dist'])
    cpSync(pathOf(`../../../cli/sync-tool/${folder}`), `${place}/${folder}`, { recursive: true });
  return `${place}/bin/sync-tool.mjs`;
};

const bundled = publishedTool();

/** A process that ran to its end. */
export interface Measured {
  readonly seconds: number;
  /** Most memory that it held, as the kernel counts it. */
  readonly peakBytes: number;
  readonly stdout: string;
}

/** Runs a program and looks at its memory while it runs. @throws when it fails */
export const measure = async (program: string, args: readonly string[]): Promise<Measured> => {
  const begin = performance.now();
  const env = { PATH: process.env['PATH'], NO_COLOR: '1' };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let peakBytes = 0;
  const look = setInterval(() => (peakBytes = Math.max(peakBytes, peakOf(child.pid ?? 0))), 10);
  const { code, stdout, stderr } = await finish(collect(child));
  clearInterval(look);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}:\n${stderr}${stdout}`);
  return { seconds: (performance.now() - begin) / 1000, peakBytes, stdout };
};

/** Runs the bundled tool on this Node, or on another one. */
export const syncTool = (args: readonly string[], node = process.execPath): Promise<Measured> =>
  measure(node, [bundled, ...args]);

/** Requests that a site received. */
export interface Asked {
  readonly reads: number;
  readonly writes: number;
}

/** A simulated site in a process of its own. */
export interface SiteProcess {
  readonly url: string;
  /** Its address for the tool. */
  readonly flags: readonly string[];
  /** Requests since the last call. */
  asked(): Promise<Asked>;
  end(): Promise<void>;
}

/** Starts a simulated site whose every answer takes this long at least. */
export const startSite = async (latencyMs: number): Promise<SiteProcess> => {
  const child = spawn(process.execPath, [bundled, 'dev-site', '--port', '0', '--latency', String(latencyMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const url = /http:\/\/[^\s;]+/.exec(line)?.[0] ?? '';
  return {
    url,
    flags: ['--site-endpoint', url, '--site-token', 'site-token', '--output', 'json'],
    async asked() {
      const answer = await fetch(`${url}/__control/log?limit=1000000`);
      const { entries } = (await answer.json()) as { entries: readonly { readonly method: string }[] };
      await fetch(`${url}/__control/log`, { method: 'DELETE' });
      const reads = entries.filter(({ method }) => method === 'GET').length;
      return { reads, writes: entries.length - reads };
    },
    end: () => endProcess(child, 'SIGTERM'),
  };
};
