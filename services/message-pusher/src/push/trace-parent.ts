import { readTraceparent } from '@ranger-relay/runtime';
import type { PushInput } from './parts.ts';

const w3c = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;
const cloud = /^([\da-f]{32})\/(\d{1,20})(?:;o=(\d{1,3}))?$/i;

type Carrier = Readonly<Record<string, unknown>>;

const fromCloud = (text: string): string | undefined => {
  const [, trace = '', span = '', options = '0'] = cloud.exec(text.trim()) ?? [];
  if (trace === '' || BigInt(span) >= 2n ** 64n) return undefined;
  const sampled = Number(options) % 2 === 1 ? '01' : '00';
  const parent = `00-${trace.toLowerCase()}-${BigInt(span).toString(16).padStart(16, '0')}-${sampled}`;
  return w3c.test(parent) ? parent : undefined;
};

const valueOf = (carrier: Carrier, wanted: string): string | undefined => {
  const value = Object.entries(carrier).find(([name]) => name.toLowerCase() === wanted)?.[1];
  return typeof value === 'string' ? value : undefined;
};

const fromCarrier = (carrier: Carrier): string | undefined => {
  const parent = valueOf(carrier, 'traceparent')?.trim().toLowerCase();
  if (parent !== undefined && w3c.test(parent)) return parent;
  return fromCloud(valueOf(carrier, 'x-cloud-trace-context') ?? '');
};

const contextOf = (text: string | undefined): Carrier => {
  try {
    const parsed: unknown = JSON.parse(text ?? '');
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as Carrier) : {};
  } catch {
    return {};
  }
};

/**
 * The W3C trace parent that a push carries (device contract, section 7): in the JSON of `tracing_context`, else in `traceparent` or
 * `x-cloud-trace-context` (`<32 hex>/<decimal span>;o=1`) of the attributes themselves. Undefined when none is well-formed.
 */
export const traceParentOf = (attributes: Readonly<Record<string, string>>): string | undefined =>
  fromCarrier(contextOf(valueOf(attributes, 'tracing_context'))) ?? fromCarrier(attributes);

/** The trace parent of a run: what the attributes carry, else the header. */
export const parentOf = ({
  attributes,
  traceparent,
}: Pick<PushInput, 'attributes' | 'traceparent'>): string | undefined =>
  traceParentOf(attributes) ?? (readTraceparent(traceparent) ? traceparent : undefined);
