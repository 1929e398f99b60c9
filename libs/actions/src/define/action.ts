import { z } from 'zod';
import type { Crontab } from '../schedule/crontab.ts';
import type { ActionContext } from './context.ts';

export const actionTypes = ['auth', 'pull', 'push', 'generic'] as const;

/** Type of an action on the platform; only pull actions are scheduled, only push actions accept data. */
export type ActionType = (typeof actionTypes)[number];

/** Members of a form that depend on a choice before them: the matching ones when `member` is `is`, otherwise the others. */
export interface FormBranches {
  readonly member: string;
  readonly is: string;
  readonly matching: readonly string[];
  readonly others: readonly string[];
}

/** The definition of an action. */
export interface ActionSpec<
  Config extends z.ZodObject = z.ZodObject,
  Data extends z.ZodType = z.ZodType,
  Tools = unknown,
> {
  readonly type: ActionType;
  /**
   * Model of its configuration; fields with `.meta({ secret: true })` are masked wherever they could appear, and the form shows a choice by the
   * titles of `.meta({ labels })`.
   */
  readonly config: Config;
  /** Model for the configuration form, when a run accepts more fields than the form should show; defaults to `config`. */
  readonly published?: z.ZodObject;
  /** Push actions: model of the complete data, including `payload`; defaults to any data. */
  readonly data?: Data;
  /** Push actions: name of the accepted data model, exact or a prefix followed by `*`. */
  readonly model?: string;
  readonly title?: string;
  readonly description?: string;
  /** Seconds; never more than MAX_ACTION_EXECUTION_TIME. */
  readonly timeout?: number;
  /** Pull actions: `MIN HOUR DOM MON DOW [OFFSET]` (platform contract, scheduling). */
  readonly schedule?: string;
  /** Whether the action can be started from the portal. */
  readonly executable?: boolean;
  /** Members that the form shows by the value of a choice. */
  readonly branches?: FormBranches;
  /** Form hints for the portal, besides the order of the members and the widgets of times and whole numbers. */
  readonly uiSchema?: Readonly<Record<string, unknown>>;
  /** Neither registered nor scheduled; only the service itself starts it. */
  readonly internal?: true;
  /**
   * Does the work and returns the result. A thrown value is the failure; an ActionFailure or RelayError states whether a retry can help.
   */
  run(context: ActionContext<z.output<Config>, z.output<Data>, Tools>): unknown;
}

const brand: unique symbol = Symbol('action');

/** The result of `defineAction`; a handlers module exports it as `action_<id>`. */
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
  .meta({ title: 'Run on schedule', description: 'Without it, the action runs only on request.' });

const switched = (model: z.ZodObject): z.ZodObject =>
  model instanceof z.ZodObject && !('run_on_schedule' in model.shape)
    ? model.safeExtend({ run_on_schedule: scheduleSwitch })
    : model;

/** Scheduled pulling is opt-in, even if the models of a pull action do not declare the switch. */
const withSwitch = (spec: ActionSpec): ActionSpec => {
  if (spec.type !== 'pull') return spec;
  const published = spec.published ? { published: switched(spec.published) } : {};
  return { ...spec, config: switched(spec.config), ...published, run: (c) => spec.run(c) };
};

/**
 * Defines an action. Its rules are checked when the handlers module is discovered, because only then its name is known. A handler that uses
 * the service's tools declares their type: `run: ({ tools }: ActionContext<Config, Data, Tools>) => …`.
 */
export const defineAction = <Config extends z.ZodObject, Data extends z.ZodType = z.ZodType, Tools = unknown>(
  spec: ActionSpec<Config, Data, Tools>,
): DefinedAction => ({ [brand]: withSwitch(spec as unknown as ActionSpec) });

/** The definition of an export; undefined when `defineAction` did not create it. */
export const specOf = (value: unknown): ActionSpec | undefined =>
  typeof value === 'object' && value !== null && brand in value ? (value as DefinedAction)[brand] : undefined;
