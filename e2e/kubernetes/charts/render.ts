import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call } from '../harness/call.ts';
import { objectsOf, type KubeObject } from './objects.ts';

/** Folder of all charts. */
export const chartsFolder = fileURLToPath(new URL('../../../charts/', import.meta.url));

/** Name of the release in renderings. */
export const release = 'release';

/** Text and objects that `helm template` made. */
export interface Rendered {
  readonly text: string;
  readonly objects: readonly KubeObject[];
}

/** What `helm template` made: the text and its objects, or why it made nothing. */
export type Rendering = ({ readonly ok: true } & Rendered) | { readonly ok: false; readonly problem: string };

/** What a chart is rendered with: files first, then values. */
export interface RenderInput {
  readonly files?: readonly string[];
  readonly values?: object;
  /** Its name, when that counts. */
  readonly release?: string;
  /** Whether values are taken that the schema refuses. */
  readonly withoutSchema?: boolean;
  /** What the cluster serves beside Kubernetes’ own, as `group/version` or `group/version/Kind`. */
  readonly serves?: readonly string[];
}

/** What helm says without its remarks about links. */
const problemOf = (stderr: string): string =>
  stderr
    .split('\n')
    .filter((line) => !line.startsWith('level=INFO') && !line.startsWith('Use --debug'))
    .join('\n')
    .trim();

/** Renders a chart by its folder's name, hooks and tests included. */
export const renderChart = async (
  env: NodeJS.ProcessEnv,
  chart: string,
  { files = [], values = {}, release: name = release, withoutSchema = false, serves = [] }: RenderInput = {},
): Promise<Rendering> => {
  const folder = join(chartsFolder, chart);
  const more = files.flatMap((file) => ['--values', join(folder, file)]);
  const served = serves.flatMap((each) => ['--api-versions', each]);
  const schema = withoutSchema ? ['--skip-schema-validation'] : [];
  const args = ['template', name, folder, '--namespace', 'relay', ...schema, ...served, ...more, '--values', '-'];
  const { code, stdout, stderr } = await call('helm', args, { env, input: JSON.stringify(values) });
  if (code !== 0) return { ok: false, problem: problemOf(stderr) };
  return { ok: true, text: stdout, objects: objectsOf(stdout) };
};

/** What Helm made. @throws with what it says when it refused */
export const mustRender = async (rendering: Promise<Rendering>): Promise<Rendered> => {
  const result = await rendering;
  if (!result.ok) throw new Error(result.problem);
  return result;
};

/** Charts that can be installed, by the names of their folders. */
export const chartNames = (): readonly string[] =>
  readdirSync(chartsFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();

/** Files of values that a chart is rendered with in CI, as paths in its folder. */
export const ciFiles = (chart: string): readonly string[] =>
  readdirSync(join(chartsFolder, chart, 'ci'))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `ci/${name}`)
    .toSorted();
