import { loopbackServer } from '@ranger-relay/http/testing';
import type { ExecutionContext } from 'ava';

/** A span as a collector of traces gets it. */
export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}

interface Batch {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[] }[];
}

/** A collector of traces that takes OTLP over HTTP. */
export const startCollector = async (t: ExecutionContext) => {
  const { origin, requests } = await loopbackServer(t, () => Response.json({}));
  return {
    url: origin,
    text: () => requests.map(({ body }) => body).join('\n'),
    spans: (): CollectedSpan[] =>
      requests.flatMap(({ body }) =>
        (JSON.parse(body) as Batch).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
  };
};
