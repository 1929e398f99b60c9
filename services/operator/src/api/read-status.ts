import { isRecord, type KubeObject } from '@ranger-relay/operator-kit';
import type { z } from 'zod';

/** Applies take members away one by one and may leave their empty object behind, which says nothing. */
export const withoutEmpty = (value: unknown): unknown => {
  if (!isRecord(value)) return value;
  const members = Object.entries(value)
    .map(([name, member]) => [name, withoutEmpty(member)] as const)
    .filter(([, member]) => member !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
};

/** The status of an object; one that cannot be read counts as lost, and what is there is taken over again. */
export const readStatus = <Schema extends z.ZodType>(
  schema: Schema,
  { status }: KubeObject,
): z.infer<Schema> | undefined => schema.safeParse(withoutEmpty(status) ?? {}).data;
