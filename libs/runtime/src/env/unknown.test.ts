import test from 'ava';
import { kafkaEnv, kvEnv, platformEnv } from './shared.ts';
import { unknownVariables } from './unknown.ts';

const problems = (source: NodeJS.ProcessEnv): string[] =>
  unknownVariables([platformEnv, kvEnv, kafkaEnv], source).map(({ variable, problem }) => `${variable} ${problem}`);

test('a misspelt variable is told with the one that was meant', (t) => {
  t.deepEqual(problems({ PLATFORM_API_BASEURL: 'https://api.example', KAFKA_BROKER: 'kafka:9092' }), [
    'PLATFORM_API_BASEURL is not a variable of ranger-relay; did you mean PLATFORM_API_BASE_URL?',
    'KAFKA_BROKER is not a variable of ranger-relay; did you mean KAFKA_BROKERS?',
  ]);
  t.deepEqual(problems({ PLATFORM_CLIENT_SECRET_FIEL: '/run/secret' }), [
    'PLATFORM_CLIENT_SECRET_FIEL is not a variable of ranger-relay; did you mean PLATFORM_CLIENT_SECRET_FILE?',
  ]);
});

test('one that begins like ours alone is told also where nothing is near', (t) => {
  t.deepEqual(problems({ PLATFORM_ADDRESS: 'https://api.example' }), [
    'PLATFORM_ADDRESS is not a variable of ranger-relay; correct it or remove it',
  ]);
});

test('what belongs to others does not matter', (t) => {
  t.deepEqual(
    problems({
      HOME: '/root',
      KAFKA_HEAP_OPTS: '-Xmx1g',
      KAFKA_BROKERS: 'kafka:9092',
      KAFKA_BROKER: 'kafka:9092',
      RUNNER_OS: 'Linux',
      PLATFORM_API_BASEURL: '',
      KV_SERVICE_HOST: '10.0.0.1',
      KV_SERVICE_PORT_TCP: '6379',
      PLATFORM_PORT: 'tcp://10.0.0.1:80',
      PLATFORM_PORT_80_TCP_ADDR: '10.0.0.1',
      PLATFORM_CLIENT_SECRET_FILE: '/run/secret',
    }),
    [],
  );
});
