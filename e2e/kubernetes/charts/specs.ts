import { fileURLToPath } from 'node:url';
import { must } from '../harness/call.ts';

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
export interface ChartSpec {
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
