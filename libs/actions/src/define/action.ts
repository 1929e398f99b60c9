import { z } from 'zod';
import type { Crontab } from '../schedule/crontab.ts';
import type { ActionContext } from './context.ts';

export const actionTypes = ['auth', 'pull', 'push', 'generic'] as const;

/** What an action is to the platform; only pull actions are scheduled, only push actions take data. */
export type ActionType = (typeof actionTypes)[number];

/** What an action is made of. */
export interface ActionSpec<
  Config extends z.ZodObject = z.ZodObject,
  Data extends z.ZodType = z.ZodType,
  Tools = unknown,
> {
  readonly type: ActionType;
  /** Model of its configuration; fields with `.meta({ secret: true })` are masked wherever they could be seen. */
  readonly config: Config;
  /** Model that is shown to people who configure it, where a run takes more than they should write; `config` when left out. */
  readonly published?: z.ZodObject;
  /** Push actions: model of the whole data, `payload` and all; anything passes when left out. */
  readonly data?: Data;
  /** Push actions: name of the data model it takes, exact or the start of it with `*` at the end. */
  readonly model?: string;
  readonly title?: string;
  readonly description?: string;
  /** Seconds; never more than MAX_ACTION_EXECUTION_TIME. */
  readonly timeout?: number;
  /** Pull actions: `MIN HOUR DOM MON DOW [OFFSET]` (platform contract, scheduling). */
  readonly schedule?: string;
  /** May be started from the portal. */
  readonly executable?: boolean;
  /** Hints for the form in the portal. */
  readonly uiSchema?: Readonly<Record<string, unknown>>;
  /** Id of a pull action beside whose run this one must not be. */
  readonly exclusive?: string;
  /** Neither registered nor scheduled; only we start it. */
  readonly internal?: true;
  /**
   * Does the work; what it returns is the result. What it throws is the failure: an ActionFailure or RelayError says itself whether a repeat
   * can help.
   */
  run(context: ActionContext<z.output<Config>, z.output<Data>, Tools>): unknown;
}

const brand: unique symbol = Symbol('action');

/** What `defineAction` makes; a handlers module exports it as `action_<id>`. */
export interface DefinedAction {
  readonly [brand]: ActionSpec;
}

/** An action of a catalogue. */
export interface Action extends ActionSpec {
  readonly id: string;
  readonly crontab: Crontab | undefined;
}

const scheduleSwitch = z
  .boolean()
  .default(false)
  .meta({ title: 'Run on schedule', description: 'Without it, only runs that somebody asks for take place.' });

const switched = (model: z.ZodObject): z.ZodObject =>
  model instanceof z.ZodObject && !('run_on_schedule' in model.shape)
    ? model.safeExtend({ run_on_schedule: scheduleSwitch })
    : model;

/** Scheduled pulling is opt-in, whether the models of a pull action say so or not. */
const withSwitch = (spec: ActionSpec): ActionSpec => {
  if (spec.type !== 'pull') return spec;
  const published = spec.published ? { published: switched(spec.published) } : {};
  return { ...spec, config: switched(spec.config), ...published, run: (c) => spec.run(c) };
};

/**
 * Makes an action. Its rules are checked when the handlers module is discovered, where its name is known. A handler that uses the service's
 * tools says of what type they are: `run: ({ tools }: ActionContext<Config, Data, Tools>) => …`.
 */
export const defineAction = <Config extends z.ZodObject, Data extends z.ZodType = z.ZodType, Tools = unknown>(
  spec: ActionSpec<Config, Data, Tools>,
): DefinedAction => ({ [brand]: withSwitch(spec as unknown as ActionSpec) });

/** What an export was defined with; undefined when `defineAction` did not make it. */
export const specOf = (value: unknown): ActionSpec | undefined =>
  typeof value === 'object' && value !== null && brand in value ? (value as DefinedAction)[brand] : undefined;
