// @ts-expect-error the client publishes no types for its inner parts
import { MemberAssignment, MemberMetadata } from 'kafkajs/src/consumer/assignerProtocol.js';
import { z } from 'zod';
import type { Assignment, GroupMember } from './assign.ts';

const version = 1;

const claimSchema = z.object({
  generation: z.int(),
  owned: z.record(z.string(), z.array(z.int().nonnegative())),
});

const textOf = (value: object): Buffer => Buffer.from(JSON.stringify(value));

/** What a member tells about itself when it joins. */
export const encodeMember = ({ topics, owned, generation }: Omit<GroupMember, 'id'>): Buffer =>
  MemberMetadata.encode({
    version,
    topics: [...topics],
    userData: textOf({ generation, owned: Object.fromEntries(owned) }),
  }) as Buffer;

const claimOf = (userData: Buffer | null): z.infer<typeof claimSchema> => {
  try {
    return claimSchema.parse(JSON.parse(userData?.toString() ?? ''));
  } catch {
    return { generation: -1, owned: {} };
  }
};

/** Reads what a member told; one that owns nothing readable owns nothing. */
export const decodeMember = (id: string, metadata: Buffer): GroupMember => {
  const { topics, userData } = MemberMetadata.decode(metadata) as { topics: string[]; userData: Buffer | null };
  const { generation, owned } = claimOf(userData);
  return { id, topics, generation, owned: new Map(Object.entries(owned)) };
};

/** What a member gets. */
export const encodeShare = (share: Assignment): Buffer =>
  MemberAssignment.encode({ version, assignment: Object.fromEntries(share) }) as Buffer;

export const decodeShare = (buffer: Buffer): Assignment => {
  const decoded = MemberAssignment.decode(buffer) as { assignment: Record<string, number[]> } | null;
  return new Map(Object.entries(decoded?.assignment ?? {}));
};
