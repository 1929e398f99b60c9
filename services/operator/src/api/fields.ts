import { z } from 'zod';

/** A CEL rule of a definition, with the sentence for whoever breaks it. */
interface Rule {
  readonly rule: string;
  readonly message: string;
}

/** Rules that the API server checks, as members of a schema. */
export const rules = (...list: readonly Rule[]): Record<string, unknown> => ({ 'x-kubernetes-validations': list });

/** A list whose items are known by a member. */
export const listMap = (key: string): Record<string, unknown> => ({
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': [key],
});

/** An object that is written, and taken away, as a whole. */
export const wholly = { 'x-kubernetes-map-type': 'atomic' } as const;

/** Name of an object of the same namespace. */
export const objectName = (description: string) =>
  z
    .string()
    .max(253)
    .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/)
    .meta({ description });

/** Path inside a volume: no dots that lead out of it, no slash in front. */
export const pathInside = (description: string) =>
  z
    .string()
    .max(500)
    .regex(/^([A-Za-z0-9_-][A-Za-z0-9._-]*)(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/)
    .meta({ description });

/** A text that becomes an option of the tool. */
export const optionText = (max: number, description: string) => z.string().min(1).max(max).meta({ description });

/** A whole number within bounds. */
export const whole = (min: number, max: number, description: string) => z.int().min(min).max(max).meta({ description });

/** Seconds, minutes and hours, as `90m`; `0s` for never. */
export const span = (description: string, ...checks: readonly Rule[]) =>
  z
    .string()
    .max(20)
    .regex(/^([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?$/)
    .min(2)
    .meta({ description, ...(checks.length > 0 ? rules(...checks) : {}) });

/** Milliseconds of a span. */
export const spanMs = (text: string): number => {
  const of = (unit: string): number => Number(new RegExp(`(\\d+)${unit}`).exec(text)?.[1] ?? 0);
  return ((of('h') * 60 + of('m')) * 60 + of('s')) * 1_000;
};

/** A moment, RFC 3339 in UTC. */
export const moment = (description: string) => z.iso.datetime({ offset: true }).meta({ description });

/** A text that the operator wrote itself, so that it is bounded already. */
export const word = (description: string) => z.string().meta({ description });

/** A number that the operator wrote itself. */
export const count = (description: string) => z.int().min(0).meta({ description });
