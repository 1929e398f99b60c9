import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '../charts/objects.ts';
import { chartNames, ciFiles, renderChart } from '../charts/render.ts';
import { call } from '../harness/call.ts';
import type { Finding } from './findings.ts';

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

interface Scored {
  readonly type_meta: { readonly kind: string };
  readonly object_name: string;
  readonly checks: readonly {
    readonly check: { readonly id: string };
    readonly grade: number;
    readonly skipped: boolean;
    readonly comments: readonly { readonly path: string; readonly summary: string }[] | null;
  }[];
}

/** The grade of a check with nothing to say. */
const best = 10;

/** What kube-score does not like of one rendering: it compares objects with each other, so each rendering is for itself. */
export const kubeScore = async (env: NodeJS.ProcessEnv, { name, file }: ScannedRendering): Promise<Finding[]> => {
  const { stdout, stderr } = await call('kube-score', ['score', '-o', 'json', '--kubernetes-version', 'v1.35', file], {
    env,
  });
  if (!stdout.startsWith('[')) throw new Error(`kube-score ${name}: ${stderr.slice(-500)}`);
  return (JSON.parse(stdout) as Scored[]).flatMap(({ type_meta: { kind }, object_name: object, checks }) =>
    checks
      .filter(({ grade, skipped }) => !skipped && grade < best)
      .map(({ check, comments }) => ({
        scanner: 'kube-score' as const,
        check: check.id,
        kind,
        rendering: name,
        where: `${name} ${kind}/${object}: ${(comments ?? []).map(({ summary }) => summary).join('; ')}`,
      })),
  );
};
