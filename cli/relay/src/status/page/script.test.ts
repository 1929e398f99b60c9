import { createContext, runInContext } from 'node:vm';
import test from 'ava';
import { script } from './script.ts';

/** As much of an element as the script uses. */
class Part {
  className = '';
  hidden = false;
  textContent = '';
  childNodes: readonly string[] = [];
  exchanged = 0;
  readonly id: string;

  constructor(id: string, childNodes: readonly string[] = []) {
    this.id = id;
    this.childNodes = childNodes;
  }

  isEqualNode(other: Part): boolean {
    return JSON.stringify(this.childNodes) === JSON.stringify(other.childNodes);
  }

  replaceChildren(...nodes: string[]): void {
    this.childNodes = nodes;
    this.exchanged += 1;
  }
}

type Answer = Readonly<Record<string, readonly string[]>> | Error;

/** Runs the script against answers: children by the id of the part, or a connection that fails. */
const openPage = (first: Answer) => {
  const page: { answer: Answer; tick: (() => Promise<void>) | undefined; type: string } = {
    answer: first,
    tick: undefined,
    type: 'text/html; charset=UTF-8',
  };
  const parts = new Map(['verdict', 'sos', 'lost'].map((id) => [id, new Part(id)]));
  const document = {
    title: '',
    hidden: false,
    body: { className: '' },
    getElementById: (id: string) => parts.get(id) ?? null,
    addEventListener: () => undefined,
  };
  const context = createContext({
    document,
    AbortSignal,
    fetch: async () => {
      if (page.answer instanceof Error) throw page.answer;
      return { text: async () => JSON.stringify(page.answer), headers: new Headers({ 'content-type': page.type }) };
    },
    DOMParser: class {
      parseFromString(text: string) {
        const fresh = Object.entries(JSON.parse(text) as Record<string, string[]>);
        return { title: 'ranger-relay', querySelectorAll: () => fresh.map(([id, nodes]) => new Part(id, nodes)) };
      }
    },
    setTimeout: (task: () => Promise<void>) => {
      page.tick = task;
      return 1;
    },
    clearTimeout: () => undefined,
  });
  runInContext(script, context);
  return { page, document, part: (id: string) => parts.get(id) ?? new Part(id), again: () => page.tick?.() };
};

test('parts that have changed are exchanged, the others stay as they are', async (t) => {
  const { page, part, again } = openPage({ verdict: ['well'], sos: ['none'] });
  await again();
  t.deepEqual(part('verdict').childNodes, ['well']);
  page.answer = { verdict: ['bad'], sos: ['none'] };
  await again();
  t.deepEqual(part('verdict').childNodes, ['bad']);
  t.deepEqual([part('verdict').exchanged, part('sos').exchanged], [2, 1]);
});

test('a part that the page does not have, or that the server leaves out, changes nothing', async (t) => {
  const { page, part, again } = openPage({ verdict: ['well'], sos: ['one'], other: ['x'] });
  await again();
  page.answer = { verdict: ['The store does not answer'] };
  await again();
  t.deepEqual(part('sos').childNodes, ['one']);
});

test('a server that is lost is said with the time of its last answer, until it answers again', async (t) => {
  const { page, part, document, again } = openPage({ verdict: ['well'] });
  await again();
  for (const lost of [new Error('gone'), { verdict: ['another server'] }]) {
    page.answer = lost;
    page.type = lost instanceof Error ? page.type : 'text/plain';
    await again();
    t.false(part('lost').hidden);
    t.regex(part('lost').textContent, /^No answer from ranger-relay since \d\d:\d\d:\d\d UTC\./);
    t.is(document.body.className, 'lost');
    t.regex(document.title, /^No answer/);
    t.deepEqual(part('verdict').childNodes, ['well']);
  }
  page.type = 'text/html';
  page.answer = { verdict: ['well again'] };
  await again();
  t.true(part('lost').hidden);
  t.is(document.body.className, '');
  t.deepEqual(part('verdict').childNodes, ['well again']);
});
