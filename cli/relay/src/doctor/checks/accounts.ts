import { humanCount } from '@ranger-relay/terminal';
import { mostAccounts, type Account, type PlatformFacts } from '../facts.ts';
import { failureOf, skipped, type Check, type Finding } from '../finding.ts';

/** How the integration is called for people. */
const calledBy = ({ integration }: Account): string => integration.name ?? integration.id;

/** Asks of each integration of a type, one finding each. */
export const accountsCheck = (
  facts: PlatformFacts,
  slug: string,
  kind: string,
  ask: (account: Account, name: string, signal: AbortSignal) => Promise<Finding>,
): Check => ({
  name: kind,
  async ask(signal) {
    if (!(await facts.hasToken())) return [skipped(kind, 'needs a token of the platform')];
    const accounts = await facts.accounts(slug);
    const findings = await Promise.all(
      accounts.map((account) => {
        const name = `${kind} of ${calledBy(account)}`;
        if (account.problem) return failureOf(name, account.problem);
        return ask(account, name, signal).catch((error: unknown) => failureOf(name, error));
      }),
    );
    const more = (await facts.integrations(slug)).length - mostAccounts;
    return more > 0 ? [...findings, skipped(kind, `${humanCount(more)} more are not looked at`)] : findings;
  },
});
