{{- define "relay.testHook" -}}
helm.sh/hook: test
helm.sh/hook-delete-policy: before-hook-creation
{{- end -}}

{{/* The pod of a test: its context, arguments, volumes, mounts, affinity. */}}
{{- define "relay.testPod" -}}
{{- $task := index . 0 -}}
apiVersion: v1
kind: Pod
metadata:
  {{- include "lib.metadata" (list $task "" $task.Values.podLabels (merge (include "relay.testHook" . | fromYaml) $task.Values.podAnnotations)) | nindent 2 }}
spec:
  {{- with index . 4 }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- include "relay.taskPod" (list $task (index . 1) (index . 2) (index . 3)) | nindent 2 }}
{{- end -}}

{{/* Beside the one process of the embedded mode a test reads its files: volumes, mounts and place as lists in JSON. */}}
{{- define "relay.besideEmbedded" -}}
{{- $embedded := dict -}}
{{- include "relay.part" (list . "ranger-relay" .Values.embedded $embedded) -}}
{{- $claim := .Values.embedded.persistence.existingClaim | default (printf "data-%s-0" (include "lib.fullname" $embedded)) -}}
{{- $labels := include "lib.selectorLabels" $embedded | fromYaml -}}
{{- dict
  "volumes" (list (dict "name" "data" "persistentVolumeClaim" (dict "claimName" $claim)))
  "mounts" (list (dict "name" "data" "mountPath" "/data"))
  "affinity" (dict "podAffinity" (dict "requiredDuringSchedulingIgnoredDuringExecution" (list (dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (dict "matchLabels" $labels)))))
  | toJson -}}
{{- end -}}

{{/* Lets the probe in at the door, whoever else may come: context of the probe, that of the door. */}}
{{- define "relay.doorPolicy" -}}
{{- $task := index . 0 -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "lib.metadata" (list $task "-door" dict dict) | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "lib.selectorLabels" (index . 1) | nindent 6 }}
  policyTypes:
    - Ingress
  ingress:
    {{- include "lib.ingressRule" (list (list (dict "podSelector" (dict "matchLabels" (include "lib.selectorLabels" $task | fromYaml)))) "http") | nindent 4 }}
{{- end -}}
