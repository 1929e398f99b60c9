import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';

type Value = { readonly stringValue?: string; readonly intValue?: number; readonly doubleValue?: number };
type Attributes = readonly { readonly key: string; readonly value: Value }[];

/** A span as it stands in OTLP JSON. */
export interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Attributes;
  readonly status: { readonly code: number; readonly message?: string };
}

interface WireBatch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

/** Attributes as one object. */
export const attributesOf = (attributes: Attributes): Record<string, string | number | undefined> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]),
  );

/** How the collector answers: takes spans, refuses them, or never answers. */
export type Manners = 'takes' | 'refuses' | 'hangs';

/** A collector on loopback that takes OTLP over HTTP. */
export const startCollector = async (t: ExecutionContext, manners: Manners = 'takes') => {
  const batches: { path: string; headers: IncomingHttpHeaders; text: string }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      batches.push({ path: request.url ?? '', headers: request.headers, text: Buffer.concat(parts).toString() });
      if (manners !== 'hangs') response.writeHead(manners === 'takes' ? 200 : 400).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const groups = () => batches.flatMap(({ text }) => (JSON.parse(text) as WireBatch).resourceSpans);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    batches,
    services: () => groups().map(({ resource }) => attributesOf(resource.attributes)['service.name']),
    spans: () => groups().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  };
};
