/** Where a request may name its integration. */
export interface IdentitySources {
  /** Value of `x-consumer-username`, only when it comes from a trusted gateway. */
  readonly consumer: string | undefined;
  /** Value of the integration header. */
  readonly header: string | undefined;
  /** Value of `?integration_id=`. */
  readonly query: string | undefined;
}

const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An id in the form it is looked up by: UUIDs in lower case; undefined for what cannot be an id. */
export const normalizeId = (text: string | undefined): string | undefined => {
  const id = text?.trim() ?? '';
  if (!idForm.test(id)) return undefined;
  return uuidForm.test(id) ? id.toLowerCase() : id;
};

const ofConsumer = (consumer: string | undefined): string | undefined => {
  const name = consumer?.slice(consumer.lastIndexOf(':') + 1).trim();
  return name === 'anonymous' ? undefined : name;
};

/** The integration a request is for: consumer, header, query, in this order (device contract, section 2, integration id). */
export const integrationIdOf = ({ consumer, header, query }: IdentitySources): string | undefined =>
  normalizeId(ofConsumer(consumer) || header || query);
