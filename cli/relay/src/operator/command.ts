import { operatorEnv, runOperator } from '@ranger-relay/operator';
import { envHelp } from '@ranger-relay/runtime';
import type { Shell } from '@ranger-relay/terminal';
import { Command } from 'commander';

interface OperatorOptions {
  readonly kubeconfig: string;
  readonly context?: string;
  readonly namespace?: string;
}

/** `ranger-relay operator`: the operator outside of its cluster, as one more replica of those in it. */
export const operatorCommand = (shell: Shell, host: NodeJS.Process): Command =>
  new Command('operator')
    .requiredOption('--kubeconfig <file>', 'how to reach the cluster')
    .option('--context <name>', 'context of the kubeconfig; its current one when left out')
    .option('--namespace <name>', 'namespace of the Leases; OPERATOR_NAMESPACE or that of the context when left out')
    .addHelpText(
      'after',
      `\nOne replica leads, here or in the cluster, where all have the same Lease (docs/operator.md).\n\nEnvironment:\n${envHelp(operatorEnv)}\n\nExample:\n  $ JOB_IMAGE=registry.example/sync-tool:0.1.0 ranger-relay operator --kubeconfig ~/.kube/config --namespace patrols`,
    )
    .action(async (options: OperatorOptions) => shell.fail(await runOperator(host, options)));
