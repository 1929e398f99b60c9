import { fileURLToPath } from 'node:url';
import { must } from '../harness/call.ts';
import { renderChart, type Rendering } from './render.ts';

/** How to see that a value reaches a rendering. */
export interface Probe {
  readonly set: unknown;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly at: string;
  readonly shows?: unknown;
  readonly isPart?: boolean;
}

/** One documented value of a chart. */
export interface ChartValue {
  readonly path: string;
  readonly about: string;
  readonly schema: { readonly type?: string | readonly string[] };
  readonly default?: unknown;
  readonly mayGo?: boolean;
  readonly global?: boolean;
  readonly probe?: Probe;
  readonly refuses?: { readonly value: unknown; readonly says: string };
}

/** What a chart's files are generated from. */
interface ChartSpec {
  readonly entries: readonly ChartValue[];
  readonly hints?: Readonly<Record<string, string>>;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The specs of all charts, by the names of their folders. */
export const chartSpecs = async (): Promise<Readonly<Record<string, ChartSpec>>> => {
  const args = ['--conditions=@ranger-relay/source', 'scripts/charts.mjs', '--list'];
  return JSON.parse(await must(process.execPath, args, { cwd: root, env: process.env })) as Record<string, ChartSpec>;
};

/** Values from paths: `{'a.b': 1}` is `{a: {b: 1}}`. */
export const valuesOf = (paths: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const values: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(paths)) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    let node = values;
    for (const key of keys) node = (node[key] ??= {}) as Record<string, unknown>;
    node[last] = value;
  }
  return values;
};

/** The least values with which a chart can be rendered, as a path in its folder. */
export const leastFile = 'ci/default-values.yaml';

/** Renders a chart with the least that it needs, and with values by their paths: `{'a.b': 1}`. */
export const renderLeast = (
  env: NodeJS.ProcessEnv,
  chart: string,
  paths: Readonly<Record<string, unknown>>,
): Promise<Rendering> => renderChart(env, chart, { files: [leastFile], values: valuesOf(paths) });
