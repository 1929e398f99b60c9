import { call } from '../harness/call.ts';
import type { Finding } from './findings.ts';
import type { ScannedRendering } from './renderings.ts';

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
