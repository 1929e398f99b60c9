/** An action of an integration type. */
export interface TypeAction {
  readonly type: string;
  readonly value: string;
  readonly [member: string]: unknown;
}

/** An integration type as registered. */
export interface IntegrationType {
  readonly value: string;
  readonly name: string;
  readonly description: string;
  readonly service_url: string | null;
  readonly actions: readonly TypeAction[];
  readonly webhook: { readonly value: string; readonly [member: string]: unknown } | null;
}

/** Data of a registration. */
export type TypeChange = Partial<IntegrationType> & { readonly value: string };

/** The registered integration types. */
export interface TypeBook {
  /** Creates or updates by `value`; actions are added or replaced one by one, those left out stay. */
  register(change: TypeChange): IntegrationType;
  get(value: string): IntegrationType | undefined;
}

const titleOf = (value: string): string =>
  value
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

/** Creates an empty registry. */
export const createTypes = (): TypeBook => {
  const byValue = new Map<string, IntegrationType>();
  return {
    get: (value) => byValue.get(value),
    register(change) {
      const before = byValue.get(change.value);
      const actions = new Map((before?.actions ?? []).map((action) => [action.value, action]));
      for (const action of change.actions ?? []) actions.set(action.value, { ...actions.get(action.value), ...action });
      const after: IntegrationType = {
        value: change.value,
        name: change.name ?? before?.name ?? titleOf(change.value),
        description: change.description ?? before?.description ?? '',
        service_url: change.service_url ?? before?.service_url ?? null,
        actions: [...actions.values()],
        webhook: change.webhook ?? before?.webhook ?? null,
      };
      byValue.set(after.value, after);
      return after;
    },
  };
};
