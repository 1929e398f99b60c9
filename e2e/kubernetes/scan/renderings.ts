import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '../charts/objects.ts';
import { chartNames, ciFiles, renderChart } from '../charts/render.ts';

/** One chart with one file of values. */
export interface ScannedRendering {
  /** `<chart>-<file>`, also the name of its file. */
  readonly name: string;
  readonly chart: string;
  readonly values: string;
  readonly file: string;
  readonly objects: readonly KubeObject[];
}

/** Renders every chart with every file of its `ci` folder, into a folder of their own. @throws with what helm says */
export const renderAll = async (
  env: NodeJS.ProcessEnv,
): Promise<{ folder: string; renderings: readonly ScannedRendering[] }> => {
  const folder = mkdtempSync(join(tmpdir(), 'ranger-relay-scan-'));
  const renderings: ScannedRendering[] = [];
  for (const chart of chartNames())
    for (const values of ciFiles(chart)) {
      const rendering = await renderChart(env, chart, { files: [values] });
      const name = `${chart}-${values.replace('ci/', '').replace('.yaml', '')}`;
      if (!rendering.ok) throw new Error(`${name}: ${rendering.problem}`);
      if (rendering.objects.length === 0) throw new Error(`${name}: nothing is rendered`);
      const file = join(folder, `${name}.yaml`);
      writeFileSync(file, rendering.text);
      renderings.push({ name, chart, values, file, objects: rendering.objects });
    }
  return { folder, renderings };
};
