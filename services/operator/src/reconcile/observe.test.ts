import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { secretProblem } from './observe.ts';

const label = 'ranger-relay.dev/site';
const annotation = 'ranger-relay.dev/site-endpoint';
const token = { name: 'site', key: 'token' };

const secret = (metadata: object = {}, data: Record<string, string> = { token: 'eA==' }) => ({
  metadata: { name: 'site', namespace: 'park', ...metadata },
  data,
});
const problem = (metadata: object, endpoint: string) => secretProblem(secret(metadata), token, endpoint);

test('a label allows its host over HTTPS on the usual port, whatever path leads to the interface', (t) => {
  const labels = { [label]: 'site.example' };
  for (const endpoint of [
    'site.example',
    'https://SITE.example/',
    'site.example:443',
    'https://site.example/north/api/',
  ])
    t.is(problem({ labels }, endpoint), undefined, endpoint);
  for (const endpoint of [
    'http://site.example',
    'site.example:8443',
    'site.example.evil.example',
    'evil.example/site.example',
    'https://evil.example/?site.example',
  ])
    t.like(problem({ labels }, endpoint), { reason: 'SecretNotAllowed' }, endpoint);
});

test('an annotation allows exactly its endpoint, however it is written', (t) => {
  const annotations = { [annotation]: 'http://site.example:8080/north' };
  for (const endpoint of ['http://site.example:8080/north', 'http://SITE.example:8080/north/api/v1.0/'])
    t.is(problem({ annotations }, endpoint), undefined, endpoint);
  for (const endpoint of ['site.example:8080/north', 'http://site.example:8080', 'http://site.example:8080/northern'])
    t.like(problem({ annotations }, endpoint), { reason: 'SecretNotAllowed' }, endpoint);
});

const host = fc.domain().filter((name) => name.length <= 63);

testProp('a Secret that names one host goes to no other', [host, host], (t, allowed, asked) => {
  const sees = problem({ labels: { [label]: allowed } }, asked);
  t.is(sees?.reason, allowed.toLowerCase() === asked.toLowerCase() ? undefined : 'SecretNotAllowed');
});

const message = (metadata: object, endpoint: string) => problem(metadata, endpoint)?.message ?? '';

test('who is refused is told the command that allows it', (t) => {
  t.regex(
    message({}, 'https://site.example/'),
    /kubectl label secret site -n park ranger-relay\.dev\/site=site\.example$/,
  );
  const annotate =
    /kubectl annotate secret site -n park ranger-relay\.dev\/site-endpoint=site\.example:8443 --overwrite$/;
  t.regex(message({}, 'site.example:8443'), annotate);
  const other = { labels: { [label]: 'other.example' } };
  t.regex(message(other, 'site.example'), /kubectl annotate secret site .*=site\.example --overwrite$/);
  t.regex(message({}, `${'a'.repeat(60)}.site.example`), /kubectl annotate/);
});

test('what the command sets is what allows it', (t) => {
  for (const endpoint of ['site.example', 'http://site.example', '10.0.0.7:8443', 'https://site.example/north']) {
    const [, kind, name = '', value = ''] =
      /kubectl (label|annotate) secret site -n park (\S+?)=(\S+)/.exec(problem({}, endpoint)?.message ?? '') ?? [];
    const metadata = kind === 'label' ? { labels: { [name]: value } } : { annotations: { [name]: value } };
    t.is(problem(metadata, endpoint), undefined, endpoint);
  }
});

test('a Secret or a key that is missing is named', (t) => {
  t.like(secretProblem(undefined, token, 'site.example'), {
    reason: 'SecretMissing',
    message: 'There is no Secret site',
  });
  const allowed = secret({ labels: { [label]: 'site.example' } }, { other: 'eA==' });
  t.like(secretProblem(allowed, token, 'site.example'), { message: 'The Secret site has no key token' });
});
