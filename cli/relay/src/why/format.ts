import type { Explanation } from '@ranger-relay/actions';
import { redact } from '@ranger-relay/runtime';
import { alignColumns, humanAgo, humanSpan, type Paint, printable, printableJson } from '@ranger-relay/terminal';
import { problemLines } from '../actions/inspect.ts';
import { sourceWords } from '../actions/options.ts';
import { remedyOf } from '../actions/remedies.ts';
import type { PastRun } from '../actions/runs.ts';
import type { Why } from './collect.ts';

const maxLength = 160;

/** A value from outside on one short line, without secrets. */
const brief = (value: unknown): string => {
  const clean = redact(value, maxLength);
  const text = typeof clean === 'string' ? printable(clean) : printableJson(clean ?? null);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
};

const zoneOf = (ms: number, zone: string): string =>
  new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(ms)
    .find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';

/** A moment in local time with its distance from UTC: `2026-01-31 10:20 UTC+03:00`. */
export const localTime = (ms: number, zone = new Intl.DateTimeFormat().resolvedOptions().timeZone): string => {
  const text = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' }).format(ms);
  return `${text} ${zoneOf(ms, zone).replace('GMT', 'UTC')}`;
};

/** Whether a run would take place; if not, why and what to do. */
export interface Verdict {
  readonly would_run: boolean;
  /** A slug; null when it would run. */
  readonly reason: string | null;
  readonly remedy: string | null;
}

/** Obstacles of a run besides the decision. */
interface Circumstances {
  /** A run of the same has the lease. */
  readonly running: boolean;
  /** Of a schedule: no process holds it. */
  readonly idle?: 'no_scheduler_leader' | 'not_scheduled' | undefined;
}

const reasonOf = ({ decision }: Explanation, { running, idle }: Circumstances): string | null => {
  if (idle === 'not_scheduled') return idle;
  if (decision.kind === 'skip') return decision.reason;
  if (decision.kind === 'refuse') return decision.error.code;
  return running ? 'already_running' : (idle ?? null);
};

/** The verdict on a run: the decision of the runtime first, then other obstacles. */
export const verdictOf = (explanation: Explanation, circumstances: Circumstances): Verdict => {
  const reason = reasonOf(explanation, circumstances);
  return { would_run: reason === null, reason, remedy: reason === null ? null : remedyOf(reason) };
};

type Row = readonly [string, string];

const configurationRows = ({ configuration }: Why, paint: Paint): Row[] => {
  const { status, source, run_on_schedule: onSchedule, config } = configuration;
  const word = status === 'valid' ? paint.green(status) : paint.red(status);
  return [
    ['configuration', `${word}; from ${sourceWords(source, status === 'missing')}`],
    ...problemLines(configuration).map((line): Row => ['', line]),
    ...(onSchedule === null ? [] : ([['', `run_on_schedule is ${onSchedule ? 'on' : 'off'}`]] as Row[])),
    ...(config === null ? [] : ([['', printableJson(config)]] as Row[])),
  ];
};

const scheduleText = ({ schedule }: Why, now: number): string => {
  if (!schedule) return 'none: only pull actions have one';
  const { crontab, from, next_fire: next } = schedule;
  const origin = { handler: 'of the handler', registration: 'of ACTION_SCHEDULES', default: 'the default' }[from];
  const at = Date.parse(next);
  return `${crontab} (${origin}); next at ${localTime(at)}, in ${humanSpan(Math.round((at - now) / 1_000))}`;
};

const tickerText = ({ scheduler: { mode, leader } }: Why): string => {
  if (mode === 'platform') return 'the platform starts scheduled actions (SCHEDULER=platform)';
  return leader === null ? 'no process holds the schedule' : `${printable(leader)} holds the schedule`;
};

const schedulerText = (why: Why): string =>
  why.scheduler.told_by === 'service'
    ? tickerText(why)
    : `${tickerText(why)}; schedule and mode are those of the environment of this command, because no running service reports its own`;

const runningText = ({ running: { held, since } }: Why, now: number): string => {
  if (!held) return 'no';
  return since === null ? 'yes' : `yes, since ${localTime(Date.parse(since))} (${humanAgo(since, now)})`;
};

const pullRows = ({ pull }: Why, now: number, paint: Paint): Row[] => {
  if (!pull) return [];
  const { watermark, ahead_seconds: ahead, unfinished } = pull;
  const came = watermark === null ? 'nothing was pulled yet' : `at ${localTime(Date.parse(watermark))}`;
  const age = watermark === null || ahead > 0 ? '' : ` (${humanAgo(watermark, now)})`;
  const future = `${humanSpan(ahead)} in the future of the site; the next run corrects it`;
  return [
    ['pull', `${came}${age}${ahead > 0 ? `, ${paint.yellow(future)}` : ''}`],
    ...unfinished.map((work): Row => ['', `continues with ${work}`]),
  ];
};

const runText = ({ started_at: start, ended_at: end, outcome, detail }: PastRun, paint: Paint): string => {
  const at = start ?? end;
  const when = at === null ? '?' : localTime(Date.parse(at));
  if (outcome === 'open') return `${when}  ${paint.yellow('no end told')}`;
  const took = start && end ? ` after ${humanSpan((Date.parse(end) - Date.parse(start)) / 1_000)}` : '';
  const word = outcome === 'failed' ? paint.red(outcome) : outcome;
  return `${when}  ${word}${took}  ${brief(detail)}`;
};

const runRows = ({ last_runs: runs }: Why, paint: Paint): Row[] => {
  if (runs === null) return [['last runs', 'unknown: reading the activity log took more than 10 s']];
  if (runs.length === 0) return [['last runs', 'none in the activity log']];
  return runs.map((run, index): Row => [index === 0 ? 'last runs' : '', runText(run, paint)]);
};

const verdictRows = ({ verdict: { would_run: runs, reason, remedy } }: Why, paint: Paint): Row[] => {
  if (runs) return [['verdict', paint.green('the next tick runs it')]];
  return [
    ['verdict', paint.red(`the next tick does not run it: ${reason}`)],
    ['', remedy ?? ''],
  ];
};

/** What `why` prints for people. */
export const whyLines = (why: Why, now: number, paint: Paint): string[] => {
  const { integration, action } = why;
  const name = integration.name === null ? integration.id : `${integration.name} (${integration.id})`;
  const rows: Row[] = [
    ['action', `${action.id} (${action.type}), of the ${action.service}`],
    ['integration', `${printable(name)}, ${printable(integration.type)}`],
    ['', `${integration.enabled ? 'enabled' : paint.red('disabled')}; from ${sourceWords(integration.source, false)}`],
    ...configurationRows(why, paint),
    ['schedule', scheduleText(why, now)],
    ['scheduler', schedulerText(why)],
    ['running', runningText(why, now)],
    ...pullRows(why, now, paint),
    ...runRows(why, paint),
    ...verdictRows(why, paint),
  ];
  return alignColumns(
    rows.map(([title, text]) => [paint.bold(title), text]),
    ['left', 'left'],
  );
};
