import { z } from 'zod';

/** CEL validation rule with its error message. */
interface Rule {
  readonly rule: string;
  readonly message: string;
}

/** Schema members for rules that the API server validates. */
export const rules = (...list: readonly Rule[]): Record<string, unknown> => ({ 'x-kubernetes-validations': list });

/** Schema members of a list whose items are keyed by a member. */
export const listMap = (key: string): Record<string, unknown> => ({
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': [key],
});

/** Schema members of an object that is applied and removed as a whole. */
export const wholly = { 'x-kubernetes-map-type': 'atomic' } as const;

/** Name of an object in the same namespace. */
export const objectName = (description: string) =>
  z
    .string()
    .max(253)
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/)
    .meta({ description });

/** Relative path inside a volume: no parent references and no leading slash. */
export const pathInside = (description: string) =>
  z
    .string()
    .max(500)
    .regex(/^([A-Za-z0-9_-][A-Za-z0-9._-]*)(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/)
    .meta({ description });

/** Text that becomes a command-line option of a Job. */
export const optionText = (max: number, description: string) => z.string().min(1).max(max).meta({ description });

/** Integer within bounds. */
export const whole = (min: number, max: number, description: string) => z.int().min(min).max(max).meta({ description });

/** Duration in seconds, minutes and hours, as `90m`; `0s` for never. */
export const span = (description: string, ...checks: readonly Rule[]) =>
  z
    .string()
    .max(20)
    .regex(/^([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?$/)
    .min(2)
    .meta({ description, ...(checks.length > 0 ? rules(...checks) : {}) });

/** Converts a duration to milliseconds. */
export const spanMs = (text: string): number => {
  const of = (unit: string): number => Number(new RegExp(`(\\d+)${unit}`).exec(text)?.[1] ?? 0);
  return ((of('h') * 60 + of('m')) * 60 + of('s')) * 1_000;
};

/** Time in RFC 3339 format, UTC. */
export const moment = (description: string) => z.iso.datetime({ offset: true }).meta({ description });

/** Text that the operator writes and bounds itself. */
export const word = (description: string) => z.string().meta({ description });

/** Number that the operator writes itself. */
export const count = (description: string) => z.int().min(0).meta({ description });
