import test from 'ava';
import { z } from 'zod';
import { defineAction, type ActionContext } from '../index.ts';
import { harness } from '../test/harness.ts';

test('a handler gets the tools of its service, under the type that it states', async (t) => {
  type Tools = { readonly answer: () => number };
  const action_ask = defineAction({
    type: 'generic',
    config: z.object({}),
    run: ({ tools }: ActionContext<object, unknown, Tools>) => ({ answer: tools.answer() }),
  });
  const w = harness({ action_ask }, { tools: { answer: () => 42 } satisfies Tools });
  t.like(await w.run('ask'), { kind: 'complete', result: { answer: 42 } });
});
