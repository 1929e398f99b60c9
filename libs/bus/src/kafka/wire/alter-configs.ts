import type { Broker } from '../client/cluster.ts';
import { exchange, ints, text } from './requests.ts';

/** New values of settings of one topic; its other settings stay. */
export interface TopicSettings {
  readonly topic: string;
  readonly set: Readonly<Record<string, string>>;
}

/** Result for one topic; code 0 means success. */
export interface AlterAnswer {
  readonly topic: string;
  readonly code: number;
  readonly message: string | null;
}

/** IncrementalAlterConfigs: the AlterConfigs request of the library resets every setting that it does not name. */
const apiKey = 44;
const version = 0;
const topicResource = 2;
const setOperation = 0;

const byte = (n: number): Buffer => Buffer.from([n]);

const bodyOf = (changes: readonly TopicSettings[]): Buffer =>
  Buffer.concat([
    ints(changes.length),
    ...changes.flatMap(({ topic, set }) => {
      const settings = Object.entries(set);
      return [
        byte(topicResource),
        text(topic),
        ints(settings.length),
        ...settings.flatMap(([name, value]) => [text(name), byte(setOperation), text(value)]),
      ];
    }),
    // validate_only = false
    byte(0),
  ]);

const decode = async (raw: Buffer): Promise<AlterAnswer[]> => {
  let at = 4;
  const readText = (): string | null => {
    const length = raw.readInt16BE(at);
    at += 2;
    if (length < 0) return null;
    at += length;
    return raw.toString('utf8', at - length, at);
  };
  const answers: AlterAnswer[] = [];
  let left = raw.readInt32BE(at);
  for (at += 4; left > 0; left -= 1) {
    const code = raw.readInt16BE(at);
    at += 2;
    const message = readText();
    at += 1;
    answers.push({ topic: readText() ?? '', code, message });
  }
  return answers;
};

/** Changes settings of topics through any broker. Rejects without a response. */
export const alterTopicSettings = (broker: Broker, changes: readonly TopicSettings[]): Promise<AlterAnswer[]> =>
  exchange(broker, { key: apiKey, version, name: 'IncrementalAlterConfigs', body: bodyOf(changes), decode });
