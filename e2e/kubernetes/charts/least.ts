import { renderChart, type Rendering } from './render.ts';
import { valuesOf } from './specs.ts';

/** The least values with which a chart can be rendered, as a path in its folder. */
export const leastFile = 'ci/default-values.yaml';

/** Renders a chart with the least that it needs, and with values by their paths: `{'a.b': 1}`. */
export const renderLeast = (
  env: NodeJS.ProcessEnv,
  chart: string,
  paths: Readonly<Record<string, unknown>>,
): Promise<Rendering> => renderChart(env, chart, { files: [leastFile], values: valuesOf(paths) });
