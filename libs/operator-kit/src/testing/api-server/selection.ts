import { Failure } from './failure.ts';
import { metaOf, memberOf, type Json } from './json.ts';

/** Which objects of a kind are meant. */
export type Selects = (object: Json | undefined) => boolean;

const termOf = (term: string): ((labels: Json) => boolean) => {
  const match = /^([\w./-]+)(?:(!?=)=?([\w.-]*))?$/.exec(term.trim());
  if (!match) throw new Failure(400, 'BadRequest', `unable to parse the selector "${term}"`);
  const [, name = '', operator, value] = match;
  if (operator === undefined) return (labels) => name in labels;
  return (labels) => (labels[name] === value) === (operator === '=');
};

/** Objects of a namespace (of all when undefined) with labels. @throws Failure BadRequest for a selector that cannot be read */
export const selection = (namespace: string | undefined, labelSelector: string | null): Selects => {
  const terms = (labelSelector ?? '').split(',').filter(Boolean).map(termOf);
  return (object) => {
    if (!object) return false;
    const meta = metaOf(object);
    const labels = memberOf(meta, 'labels');
    return (namespace === undefined || meta['namespace'] === namespace) && terms.every((holds) => holds(labels));
  };
};
