import { runnerEnv } from '@ranger-relay/action-runner';
import type { Bus } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import { pusherEnv } from '@ranger-relay/message-pusher';
import type { Integration } from '@ranger-relay/platform';
import { humanCount, humanSpan, plural } from '@ranger-relay/terminal';
import { z } from 'zod';
import type { ActionService } from '../../actions/services.ts';
import { withOpen } from '../../program/stores.ts';
import { type Account, maxAccounts, type PlatformFacts } from '../facts.ts';
import { type Check, failureAt, failureOf, type Finding, ok, skipped, warning } from '../finding.ts';

/** Display name of the integration. */
const calledBy = ({ integration }: Account): string => integration.name ?? integration.id;

/** Runs a check for each integration of a type, with one finding each. */
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
    const more = (await facts.integrations(slug)).length - maxAccounts;
    return more > 0 ? [...findings, skipped(kind, `${humanCount(more)} more are not checked`)] : findings;
  },
});

const name = 'config events';
const { name: topic, retentionMs } = topics.configEvents;
const days = retentionMs / 86_400_000;

/** Whether the platform publishes changed settings; otherwise they take effect up to an hour later. A young bus says nothing of that. */
export const configEventsCheck = (
  facts: PlatformFacts,
  /** `age`: how long there has been a bus, ms, as far as that is known. */
  { open, age }: { readonly open: () => Promise<Bus>; readonly age: () => Promise<number | undefined> },
  slugs: readonly string[],
): Check => ({
  name,
  async ask(signal) {
    if (!(await facts.hasToken())) return [skipped(name, 'needs a token of the platform')];
    const integrations = await Promise.all(slugs.map(facts.integrations));
    if (integrations.flat().length === 0) return [skipped(name, 'there is no integration yet')];
    return withOpen(open, async (bus) => {
      for await (const record of bus.read({ topic, signal }))
        return [ok(name, `arrive; the oldest stored one is of ${new Date(record.timestamp).toISOString()}`)];
      const ageMs = await age();
      const isYoung = ageMs !== undefined && ageMs < retentionMs;
      return [
        isYoung
          ? skipped(name, `none has arrived in the ${humanSpan(Math.round(ageMs / 1_000))} since DATA_DIR is used`)
          : warning(
              name,
              `none has arrived in ${days} days`,
              `Let the platform publish to ${topic}, or call POST /config-events/: until then changed settings take effect within an hour.`,
            ),
      ];
    });
  },
});

/** Whether the platform issues a token. */
export const tokenCheck = ({ access }: PlatformFacts): Check => ({
  name: 'platform token',
  async ask() {
    if (!access) return [skipped('platform token', 'no platform is configured; `up` uses a simulated one')];
    try {
      await access.tokens.token();
      return [ok('platform token', 'given')];
    } catch (error) {
      return [failureAt('platform token', 'PLATFORM_TOKEN_URL', error)];
    }
  },
});

const typeSchema = z.looseObject({ actions: z.array(z.looseObject({ value: z.string() })) });

/** Actions that the registered type lacks, read from one of its integrations; null when unknown. */
const missingActions = ({ type }: Integration, { catalogue }: ActionService): readonly string[] | null => {
  const parsed = typeSchema.safeParse(type);
  if (!parsed.success) return null;
  const known = new Set(parsed.data.actions.map(({ value }) => value));
  return catalogue.actions.filter(({ id, internal }) => !internal && !known.has(id)).map(({ id }) => id);
};

const defaultSlugs = {
  'message-pusher': pusherEnv.INTEGRATION_TYPE_SLUG.default,
  'action-runner': runnerEnv.INTEGRATION_TYPE_SLUG.default,
} as const;

/** The call that registers the type of a service, as it can be pasted. */
const registerCall = ({ name, slug }: ActionService): string =>
  `${slug === defaultSlugs[name] ? '' : `INTEGRATION_TYPE_SLUG=${slug} `}ranger-relay register --service ${name}`;

const registered = (name: string, service: ActionService, found: readonly Integration[]): Finding => {
  const [first] = found;
  if (!first)
    return warning(
      name,
      'no enabled integration, so the registration of the type is unknown',
      `Register the type with \`${registerCall(service)}\` and connect an integration, or correct the slug "${service.slug}".`,
    );
  const missing = missingActions(first, service);
  const count = plural(found.length, 'enabled integration');
  if (missing === null || missing.length === 0) return ok(name, count);
  return warning(
    name,
    `${count}, but the registered type lacks ${missing.join(', ')}`,
    `Register it again with \`${registerCall(service)}\`.`,
  );
};

/** Whether the platform lists integrations of a service's type with all of its actions. */
export const typeCheck = (facts: PlatformFacts, service: ActionService): Check => {
  const name = `type ${service.slug}`;
  return {
    name,
    async ask() {
      if (!(await facts.hasToken())) return [skipped(name, 'needs a token of the platform')];
      try {
        return [registered(name, service, await facts.integrations(service.slug))];
      } catch (error) {
        return [failureAt(name, 'PLATFORM_API_BASE_URL', error)];
      }
    },
  };
};
