#!/usr/bin/env bash
# volumes.sh FOLDER COUNT: makes empty volumes below a folder and prints their manifests, with a default class that binds
# them. There is no provisioner here; the machine sees what a pod writes.
set -euo pipefail
cat <<'Y'
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: folders, annotations: { storageclass.kubernetes.io/is-default-class: "true" } }
provisioner: kubernetes.io/no-provisioner
Y
for n in $(seq "$2"); do
  mkdir -p "$1/$n"
  chown 65532:65532 "$1/$n"
  cat <<Y
---
apiVersion: v1
kind: PersistentVolume
metadata: { name: folder-$n }
spec:
  storageClassName: folders
  capacity: { storage: 10Gi }
  accessModes: [ReadWriteOnce, ReadWriteMany, ReadOnlyMany]
  persistentVolumeReclaimPolicy: Retain
  hostPath: { path: "$1/$n", type: Directory }
Y
done
