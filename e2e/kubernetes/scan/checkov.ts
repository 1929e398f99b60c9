import { basename } from 'node:path';
import { call } from '../harness/call.ts';
import type { Finding } from './findings.ts';

interface Report {
  readonly summary: { readonly passed: number; readonly parsing_errors: number };
  readonly results: {
    readonly failed_checks: readonly {
      readonly check_id: string;
      readonly check_name: string;
      readonly resource: string;
      readonly file_path: string;
    }[];
  };
}

/** What checkov does not like of a folder of renderings, in one call: starting it takes long. Asks nobody outside. */
export const checkov = async (env: NodeJS.ProcessEnv, folder: string): Promise<Finding[]> => {
  const args = ['--directory', folder, '--framework', 'kubernetes', '--compact', '--quiet', '--skip-download'];
  const { stdout, stderr } = await call('checkov', [...args, '--output', 'json'], { env, timeoutMs: 300_000 });
  if (!stdout.trimStart().startsWith('{')) throw new Error(`checkov: ${`${stderr}${stdout}`.slice(-500)}`);
  const { summary, results } = JSON.parse(stdout) as Report;
  if (summary.passed === 0 || summary.parsing_errors > 0) throw new Error(`checkov read ${JSON.stringify(summary)}`);
  return results.failed_checks.map(({ check_id: check, check_name: says, resource, file_path: file }) => ({
    scanner: 'checkov' as const,
    check,
    kind: resource.split('.')[0] ?? '',
    rendering: basename(file, '.yaml'),
    where: `${basename(file)} ${resource}: ${says}`,
  }));
};
