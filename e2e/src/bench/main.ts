import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startPlatformProcess } from '../harness/platform.ts';
import { benchActions } from './actions.ts';
import { benchForward } from './forward.ts';
import { benchIngest } from './ingest.ts';
import { benchOperator } from './operator.ts';
import { benchPull, benchPullAlone } from './pull.ts';
import { benchPush } from './push.ts';
import { withCluster } from './stores.ts';
import { benchSync } from './sync.ts';
import { markdown, type Figure } from './table.ts';
import { benchAlone, benchWhole } from './under-load.ts';

const args = process.argv.slice(2);
const quick = args.includes('--quick');
/** `--only` with one of the parts below. */
const only = args.includes('--only') ? args[args.indexOf('--only') + 1] : undefined;
/** `--load 600` for ten minutes of load on the whole. */
const loadSeconds = args.includes('--load') ? Number(args[args.indexOf('--load') + 1]) : 120;
const seconds = (full: number): number => (quick ? 2 : full);
const integration = 'aaaaaaaa-0000-4000-8000-000000000001';
const out = fileURLToPath(new URL('../../out/', import.meta.url));

const progress = (text: string): void => void process.stderr.write(`${text}\n`);

const run = async (): Promise<Figure[]> => {
  const stateDir = mkdtempSync(join(tmpdir(), 'ranger-relay-bench-platform-'));
  const platform = await startPlatformProcess({ integrations: [integration], stateDir });
  const parts: Readonly<Record<string, () => Promise<Figure[]>>> = {
    ingest: () => benchIngest(platform, integration, seconds(8)),
    forward: () => benchForward(platform, integration, quick ? 72 : 2000),
    whole: () => benchWhole(seconds(20), quick ? 5 : loadSeconds),
    'kafka-ingest': () => withCluster((stores) => benchIngest(platform, integration, seconds(8), stores)),
    'kafka-forward': () => withCluster((stores) => benchForward(platform, integration, quick ? 72 : 2000, stores)),
    actions: () => benchActions(platform, seconds(8)),
    push: () => benchPush(platform, quick ? 200 : 1_000),
    pull: () => benchPull(platform, quick ? 10_000 : 200_000),
    'kafka-pull': () => benchPullAlone(quick ? 10_000 : 200_000),
    'kafka-actions': () => withCluster((stores) => benchActions(platform, seconds(8), stores)),
    alone: () => benchAlone(seconds(60), quick ? 5 : loadSeconds),
    sync: () => benchSync(quick),
    operator: () => benchOperator(quick ? 20 : 200),
  };
  try {
    const figures: Figure[] = [];
    for (const [name, part] of Object.entries(parts)) {
      if (only !== undefined && only !== name) continue;
      progress(`${name} …`);
      figures.push(...(await part()));
    }
    return figures;
  } finally {
    await platform.end();
    rmSync(stateDir, { recursive: true, force: true });
  }
};

const figures = await run();
const machine = {
  cpus: cpus().length,
  model: cpus()[0]?.model ?? '',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
};
mkdirSync(out, { recursive: true });
writeFileSync(join(out, 'bench.json'), JSON.stringify({ machine, figures }, null, 2));
process.stdout.write(
  `${markdown(figures)}\n\n${machine.cpus} cores (${machine.model}), ${machine.memoryGiB} GiB, Node ${machine.node}\n`,
);
