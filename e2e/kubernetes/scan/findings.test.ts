import test from 'ava';
import { weigh, type Finding } from './findings.ts';

const finding = (check: string, kind = 'Deployment'): Finding => ({
  scanner: 'checkov',
  check,
  kind,
  rendering: 'chart-values',
  where: 'a',
});

test('what nobody has explained counts', (t) => {
  t.deepEqual(weigh([finding('x')], []), { unexplained: ['checkov x: a'], unused: [] });
  t.deepEqual(weigh([finding('x')], [{ scanner: 'checkov', check: 'x', why: '' }]), { unexplained: [], unused: [] });
});

test('an exception of another scanner, check, kind or rendering does not explain, and is left over', (t) => {
  for (const other of [
    { scanner: 'kube-score', check: 'x', why: '' },
    { scanner: 'checkov', check: 'y', why: '' },
    { scanner: 'checkov', check: 'x', kind: 'Job', why: '' },
    { scanner: 'checkov', check: 'x', rendering: 'chart-other', why: '' },
  ] as const)
    t.deepEqual(weigh([finding('x')], [other]), { unexplained: ['checkov x: a'], unused: [other] });
});
