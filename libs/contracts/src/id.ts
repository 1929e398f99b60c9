import { z } from 'zod';

const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether an id is a UUID, in any spelling. */
export const isUuid = (id: string): boolean => uuidForm.test(id);

/** The one spelling of an id: a UUID in lower case, any other id as it was sent. Every id from outside goes through it before it is a key or is compared. */
export const canonicalId = (id: string): string => (isUuid(id) ? id.toLowerCase() : id);

/** An id from outside in its one spelling. */
export const idSchema = z.string().overwrite(canonicalId);
