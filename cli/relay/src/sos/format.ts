import { alignColumns, humanAgo, humanSpan, type Paint, plural, printable } from '@ranger-relay/terminal';
import { labels } from './names.ts';
import type { Delivery, SosCall, SosEvent, Step } from './model.ts';

/** What became of an SOS, in words. */
export const deliveryText: Readonly<Record<Delivery, string>> = {
  waiting: 'waits',
  refused: 'refused',
  accepted: 'accepted',
  not_known: 'not known',
  dropped: 'dropped by a person',
  dropped_disabled: 'dropped: the integration was disabled',
};

const stepOf = ({ events }: SosCall, name: Step['step']): Step | undefined =>
  events[0]?.steps.findLast(({ step }) => step === name);

/** The same with the time that it took, or the dead letter to look at. */
export const deliveryWords = (call: SosCall): string => {
  const words = deliveryText[call.delivery];
  if (call.dead_letter !== null) return `${words}: ranger-relay dlq show ${call.dead_letter}`;
  // Nothing is left to deliver, so it is open only because the device has not cancelled it.
  if (call.open && call.delivery.startsWith('dropped')) return `${words}; not cancelled by the device`;
  const accepted = call.delivery === 'accepted' ? stepOf(call, 'accepted') : undefined;
  return accepted ? `${words} after ${humanSpan(accepted.seconds)}` : words;
};

/** What the integration of each of these SOS is called: by its name, with the id where two have that name. */
export const labelsOf = (calls: readonly SosCall[]): ((call: SosCall) => string) => {
  const label = labels(new Map(calls.map((call) => [call.integration_id, call.name])));
  return ({ integration_id: id }) => label(id) ?? id;
};

/** When the person called: by the device, whose clock may be ahead; what the vendor held is received much later. */
const calledAt = ({ received_at: received, events: [first] }: SosCall): string =>
  first && Date.parse(first.recorded_at) < Date.parse(received) ? first.recorded_at : received;

const cells = (labelOf: ReturnType<typeof labelsOf>, call: SosCall, now: number, paint: Paint): string[] => {
  const style = call.delivery === 'accepted' ? paint.green : paint.red;
  return [
    call.open ? paint.red(`SOS ${call.state}`) : `SOS ${call.state}`,
    printable(call.source || '–'),
    printable(labelOf(call)),
    humanAgo(calledAt(call), now),
    call.open ? paint.red('open') : 'closed',
    style(printable(deliveryWords(call))),
  ];
};

/** The list as a table; one line an SOS. */
export const sosTable = (calls: readonly SosCall[], now: number, paint: Paint): string[] => {
  const labelOf = labelsOf(calls);
  return alignColumns(
    [
      ['SOS', 'device', 'integration', 'called', 'state', 'delivery'].map(paint.bold),
      ...calls.map((call) => cells(labelOf, call, now, paint)),
    ],
    ['left', 'left', 'left', 'right', 'left', 'left'],
  );
};

/** The name of a step, in words. */
export const stepText = ({ step }: Step): string => (step === 'dropped_disabled' ? 'dropped' : step);

const stepLine = (step: Step): string => {
  const { at, seconds, dead_letter: letter, object_ids: ids } = step;
  const details = [
    ...(step.step === 'dropped_disabled' ? ['the integration was disabled'] : []),
    ...(seconds > 0 ? [`after ${humanSpan(seconds)}`] : []),
    ...(letter === null ? [] : [`dead letter ${letter}`]),
    ...(ids.length > 0 ? [`object ${ids.join(', ')}`] : []),
  ];
  return printable(`  ${at}  ${stepText(step).padEnd(9)}  ${details.join('; ')}`).trimEnd();
};

const eventLines = ({ steps }: SosEvent): string[] => steps.map(stepLine);

/** Each SOS with its steps and their times, in UTC. */
export const sosLines = (calls: readonly SosCall[], now: number, paint: Paint): string[] => {
  const [header = '', ...rows] = sosTable(calls, now, paint);
  const open = calls.filter((call) => call.open).length;
  return [
    header,
    ...calls.flatMap((call, index) => [rows[index] ?? '', ...call.events.flatMap(eventLines)]),
    '',
    `${plural(calls.length, 'SOS', 'SOS')}, ${open} open.`,
  ];
};

/** Most closed ones that `status` and its page show. */
const briefClosed = 10;

/** The open SOS and the newest closed ones, and how many are left out. */
export const briefly = (calls: readonly SosCall[]): { readonly shown: readonly SosCall[]; readonly more: number } => {
  const open = calls.filter((call) => call.open);
  const closed = calls.filter((call) => !call.open);
  const shown = [...open, ...closed.slice(0, briefClosed)];
  return { shown, more: calls.length - shown.length };
};
