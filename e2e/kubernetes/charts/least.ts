import { renderChart, type Rendering } from './render.ts';

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
