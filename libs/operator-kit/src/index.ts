export type { Access, Credentials, TlsSettings } from './access/access.ts';
export { inClusterAccess, type InClusterOptions } from './access/in-cluster.ts';
export { createKubeApi, type KubeApiOptions } from './api/create.ts';
export {
  isRecord,
  memberOf,
  keyOf,
  refOf,
  type Key,
  type KubeObject,
  type ObjectMeta,
  type ObjectRef,
  type OwnerReference,
} from './api/object.ts';
export type { ApplyOptions, CallOptions, KubeApi, Page, RemoveOptions, Selection } from './api/port.ts';
export { apiVersionOf, ownerOf, ownerReference, pathOf, withKind, type Place, type Resource } from './api/resource.ts';
export type { KubeRequest, KubeTransport } from './api/transport.ts';
export { createHttpTransport, type HttpTransportOptions } from './http/transport.ts';
export { jittered } from './jittered.ts';
export { createClaims, type Claimed, type Claims, type LeaseRequest } from './lease/claims.ts';
export { createElector, type Elector, type ElectorOptions } from './lease/elector.ts';
export { leases, readLease, type LeaseRecord } from './lease/record.ts';
export { leaseTimes, type LeaseTimes } from './lease/record.ts';
export {
  conditionNamed,
  isTrue,
  kubeTime,
  withConditions,
  withoutConditions,
  type Condition,
  type Said,
} from './objects/conditions.ts';
export type { Occurrence } from './objects/recorder.ts';
export { createRecorder, type Recorder, type RecorderOptions } from './objects/recorder.ts';
export { isSameJson } from './objects/same.ts';
export { createWriter, isContained, type StatusWrite, type Writer } from './objects/writer.ts';
export { createWorkQueue, type Result, type WorkQueue, type WorkQueueOptions } from './queue/work-queue.ts';
export { createController, type Controller, type ControllerOptions } from './reconcile/controller.ts';
export { objectsOf, ownedBy, relatedTo, type Source } from './reconcile/sources.ts';
export type { Term } from './reconcile/term.ts';
export type { Change, ReadableCache } from './watch/cache.ts';
export { createInformer, type Informer, type InformerOptions } from './watch/informer.ts';
export { listAll } from './watch/list-all.ts';
