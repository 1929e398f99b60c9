import { AssignerProtocol } from 'kafkajs';
import type { Clock } from '@ranger-relay/runtime';
import { z } from 'zod';
import type { Broker, Cluster } from '../client/cluster.ts';
import { problemOf } from '../client/problems.ts';
import type { Commit, StoredCommit } from '../../consume/commit.ts';
import {
  type CommittedOffset,
  commitOffsets,
  keepsOffsets,
  type OffsetsToCommit,
  protocolError,
} from '../wire/requests.ts';
import type { Assignment, GroupMember } from './assign.ts';

const everyMs = 1_000;

/**
 * Waits for a response that may take long, and asks the same broker for something else meanwhile, so that one that hangs is noticed.
 * @param ask rejects when the broker does not answer in time
 */
const whileAnswering = async <T>(work: Promise<T>, ask: () => Promise<unknown>, clock: Clock): Promise<T> => {
  const ended = new AbortController();
  const asking = async (): Promise<never> => {
    for (;;) {
      await clock.sleep(everyMs, ended.signal);
      await ask();
    }
  };
  try {
    return await Promise.race([work, asking()]);
  } finally {
    work.catch(() => undefined);
    ended.abort(new DOMException('the wait is over', 'AbortError'));
  }
};

const { MemberAssignment, MemberMetadata } = AssignerProtocol;
const version = 1;

const claimSchema = z.object({
  generation: z.int(),
  owned: z.record(z.string(), z.array(z.int().nonnegative())),
});

const textOf = (value: object): Buffer => Buffer.from(JSON.stringify(value));

/** Encodes the data that a member sends when it joins. */
export const encodeMember = ({ topics, owned, generation }: Omit<GroupMember, 'id'>): Buffer =>
  MemberMetadata.encode({
    version,
    topics: [...topics],
    userData: textOf({ generation, owned: Object.fromEntries(owned) }),
  });

const claimOf = (userData: Buffer | null | undefined): z.infer<typeof claimSchema> => {
  try {
    return claimSchema.parse(JSON.parse(userData?.toString() ?? ''));
  } catch {
    return { generation: -1, owned: {} };
  }
};

/** Decodes the data of a member; unreadable data means that it owns nothing. */
export const decodeMember = (id: string, metadata: Buffer): GroupMember => {
  const decoded = MemberMetadata.decode(metadata);
  const { generation, owned } = claimOf(decoded?.userData);
  return { id, topics: decoded?.topics ?? [], generation, owned: new Map(Object.entries(owned)) };
};

/** Encodes the assignment of a member. */
export const encodeShare = (share: Assignment): Buffer =>
  MemberAssignment.encode({
    version,
    assignment: Object.fromEntries([...share].map(([topic, its]) => [topic, [...its]])),
    userData: Buffer.alloc(0),
  });

export const decodeShare = (buffer: Buffer): Assignment =>
  new Map(Object.entries(MemberAssignment.decode(buffer)?.assignment ?? {}));

/** The membership in a group, valid for one generation. */
export interface Membership {
  readonly memberId: string;
  readonly generation: number;
}

/** The result of a join. */
export interface Joined extends Membership {
  /** All members, for the group leader; empty for the other members. */
  readonly members: readonly GroupMember[];
}

/** Meaning of a failed call for the member. */
type MemberClaim =
  /** The group rebalances: finish, commit and rejoin. */
  | 'rebalance'
  /** The group continues without this member: its further work does not count. */
  | 'fenced'
  /** The coordinator has moved or is unavailable: retry. */
  | 'away';

const fencedTypes = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID', 'MEMBER_ID_REQUIRED']);

export const memberClaimOf = (error: unknown): MemberClaim => {
  const { type } = problemOf(error);
  if (type === 'REBALANCE_IN_PROGRESS') return 'rebalance';
  return fencedTypes.has(type) ? 'fenced' : 'away';
};

/** Time limits of a group, ms. */
export interface GroupWaits {
  /** A member without a heartbeat for this long is removed. */
  readonly sessionMs: number;
  /** How long a rebalance waits for members to rejoin. */
  readonly rebalanceMs: number;
}

/** A commit, and the topic that its positions are of; undefined where the brokers have no ids. */
export interface KafkaCommit extends Commit {
  readonly topicId: string | undefined;
}

/** A stored commit; what its metadata does not tell was made by something else. */
export interface StoredKafkaCommit extends StoredCommit {
  readonly topicId: string | undefined;
}

/** Whether a commit is of a topic that was deleted, and the one of its name now is another. Without both ids that is not known. */
export const isOfDeleted = ({ topicId }: Pick<StoredKafkaCommit, 'topicId'>, present: string | undefined): boolean =>
  present !== undefined && topicId !== undefined && topicId !== present;

/** A stored commit, unless it tells nothing of the present log: it is of a topic that was deleted, or beyond the end. @param end read after it */
export const usableCommit = (
  commit: StoredKafkaCommit | undefined,
  topicId: string | undefined,
  end: bigint,
): StoredKafkaCommit | undefined =>
  commit && !isOfDeleted(commit, topicId) && commit.offset <= end ? commit : undefined;

/** The commit as the protocol has it: all but the offset is its metadata. */
const encodeCommit = ({ offset, announced, topicId, done }: KafkaCommit): CommittedOffset => ({
  offset,
  // Without its id, what is done of one topic would be believed of another one of its name.
  metadata: `announced=${announced}${topicId === undefined ? '' : ` topic=${topicId}${done && ` done=${done}`}`}`,
});

const metadataForm = /^announced=(\d{1,19})(?: topic=([0-9a-f]{32})(?: done=(\S+))?)?$/;

const decodeCommit = ({ offset, metadata }: { offset: string; metadata?: string | null }): StoredKafkaCommit => {
  const [, announced, topicId, done = ''] = metadataForm.exec(metadata ?? '') ?? [];
  return { offset: BigInt(offset), announced: announced === undefined ? null : BigInt(announced), topicId, done };
};

/** Calls to the coordinator of one group. */
export interface Coordinator {
  /** Blocks until every member has joined or was removed. */
  join(self: GroupMember, waits: GroupWaits): Promise<Joined>;
  /** The leader passes all assignments; returns that of this member. */
  sync(membership: Membership, shares: ReadonlyMap<string, Assignment>): Promise<Assignment>;
  heartbeat(membership: Membership): Promise<void>;
  leave(memberId: string): Promise<void>;
  commit(membership: Membership, topic: string, commits: ReadonlyMap<number, KafkaCommit>): Promise<void>;
  /** The commits of the partitions that have one. */
  committed(topic: string, partitions: readonly number[]): Promise<Map<number, StoredKafkaCommit>>;
}

interface GroupBroker extends Omit<Broker, 'offsetCommit' | 'offsetFetch'> {
  joinGroup(request: object): Promise<{
    memberId: string;
    generationId: number;
    leaderId: string;
    members: readonly { memberId: string; memberMetadata: Buffer }[];
  }>;
  syncGroup(request: object): Promise<{ memberAssignment: Buffer }>;
  heartbeat(request: object): Promise<unknown>;
  leaveGroup(request: object): Promise<unknown>;
  offsetCommit(request: object): Promise<unknown>;
  offsetFetch(request: object): Promise<{
    responses: readonly {
      topic: string;
      partitions: readonly { partition: number; offset: string; metadata?: string | null }[];
    }[];
  }>;
}

interface Inner {
  readonly brokerPool: {
    findConnectedBroker(): Promise<{
      findGroupCoordinator(request: object): Promise<{ readonly coordinator: { readonly nodeId: number } }>;
    }>;
  };
}

const protocol = 'relay-sticky';

/** Commits without a retention time, for brokers that do not accept one: they keep the offsets as long as those of any group. */
const commitForNow = async (
  broker: GroupBroker,
  { groupId, generation, memberId, topic, offsets }: OffsetsToCommit,
): Promise<void> => {
  const partitions = [...offsets].map(([partition, { offset, metadata }]) => ({
    partition,
    offset: String(offset),
    metadata,
  }));
  await broker.offsetCommit({ groupId, groupGenerationId: generation, memberId, topics: [{ topic, partitions }] });
};

const brokerOf = async (client: Cluster, nodeId: number): Promise<GroupBroker> =>
  (await client.findBroker({ nodeId: String(nodeId) })) as unknown as GroupBroker;

/** What the calls of one group are made with. */
export interface CoordinatorDependencies {
  readonly cluster: Cluster;
  /** The client of joins and of their ends alone: they block its connection until all members have joined. Default: there are none. */
  readonly joins?: Cluster;
  readonly groupId: string;
  readonly clock: Clock;
}

/** Creates the calls of one group. */
export const createCoordinator = ({
  cluster,
  joins = cluster,
  groupId,
  clock,
}: CoordinatorDependencies): Coordinator => {
  let found: Promise<number> | undefined;

  const find = async (): Promise<number> => {
    await cluster.connect();
    await cluster.refreshMetadata();
    // The library's own lookup does not report why it failed.
    const asked = await (cluster as unknown as Inner).brokerPool.findConnectedBroker();
    const { coordinator } = await asked.findGroupCoordinator({ groupId, coordinatorType: 0 });
    return coordinator.nodeId;
  };

  const ask = async <T>(call: (broker: GroupBroker, nodeId: number) => Promise<T>): Promise<T> => {
    found ??= find();
    const mine = found;
    try {
      const nodeId = await mine;
      return await call(await brokerOf(cluster, nodeId), nodeId);
    } catch (error) {
      if (memberClaimOf(error) === 'away' && found === mine) found = undefined;
      throw error;
    }
  };

  const joiner = async (nodeId: number): Promise<GroupBroker> => {
    if (joins !== cluster) {
      await joins.connect();
      await joins.refreshMetadata();
    }
    return brokerOf(joins, nodeId);
  };

  const store = async (
    { memberId, generation }: Membership,
    topic: string,
    commits: ReadonlyMap<number, KafkaCommit>,
  ): Promise<void> => {
    const offsets = new Map([...commits].map(([partition, commit]) => [partition, encodeCommit(commit)]));
    await ask(async (broker) => {
      if (!keepsOffsets(broker)) return commitForNow(broker, { groupId, generation, memberId, topic, offsets });
      const refused = await commitOffsets(broker as never, { groupId, generation, memberId, topic, offsets });
      for (const code of refused.values()) throw protocolError(code);
    });
  };

  return {
    join: (self, { sessionMs, rebalanceMs }) =>
      ask(async (broker, nodeId) => {
        const joining = (await joiner(nodeId)).joinGroup({
          groupId,
          sessionTimeout: sessionMs,
          rebalanceTimeout: rebalanceMs,
          memberId: self.id,
          protocolType: 'consumer',
          groupProtocols: [{ name: protocol, metadata: encodeMember(self) }],
        });
        const answer = await whileAnswering(joining, () => broker.apiVersions(), clock);
        const members = answer.leaderId === answer.memberId ? answer.members : [];
        return {
          memberId: answer.memberId,
          generation: answer.generationId,
          members: members.map(({ memberId, memberMetadata }) => decodeMember(memberId, memberMetadata)),
        };
      }),
    sync: ({ memberId, generation }, shares) =>
      ask(async (_, nodeId) => {
        const broker = await joiner(nodeId);
        const groupAssignment = [...shares].map(([id, share]) => ({
          memberId: id,
          memberAssignment: encodeShare(share),
        }));
        const answer = await broker.syncGroup({ groupId, generationId: generation, memberId, groupAssignment });
        return decodeShare(answer.memberAssignment);
      }),
    async heartbeat({ memberId, generation }) {
      await ask((broker) => broker.heartbeat({ groupId, groupGenerationId: generation, memberId }));
    },
    async leave(memberId) {
      await ask((broker) => broker.leaveGroup({ groupId, memberId }));
    },
    async commit(membership, topic, commits) {
      try {
        await store(membership, topic, commits);
      } catch (error) {
        if (problemOf(error).type !== 'OFFSET_METADATA_TOO_LARGE') throw error;
        // The brokers take less than usual with an offset: what is done behind it is delivered again.
        await store(membership, topic, new Map([...commits].map(([at, commit]) => [at, { ...commit, done: '' }])));
      }
    },
    async committed(topic, partitions) {
      const { responses } = await ask((broker) =>
        broker.offsetFetch({
          groupId,
          topics: [{ topic, partitions: partitions.map((partition) => ({ partition })) }],
        }),
      );
      const commits = new Map<number, StoredKafkaCommit>();
      for (const { partitions: found } of responses)
        for (const each of found) if (BigInt(each.offset) >= 0n) commits.set(each.partition, decodeCommit(each));
      return commits;
    },
  };
};
