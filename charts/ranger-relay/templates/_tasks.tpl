{{/* The component of a short-lived pod, with the settings of `tasks`. Arguments: root context, name, connections, login at the brokers, variables. */}}
{{- define "ranger-relay.task" -}}
{{- $root := index . 0 -}}
{{- $own := include "ranger-relay.given" (omit $root.Values.tasks "kafka") | fromYaml -}}
{{- /* Additions to the services do not apply: a sidecar would keep the pod running. */ -}}
{{- $shared := omit $root.Values "initContainers" "extraContainers" "extraEnv" "envFrom" "extraVolumes" "extraVolumeMounts" "secrets" "heapMiB" -}}
{{- $values := mergeOverwrite (deepCopy $shared) (dict "config" (index . 4)) $own -}}
{{- $_ := set $values.kafka "sasl" (merge (deepCopy (index . 3)) $values.kafka.sasl) -}}
{{- /* Types of the integrations, from which the names of command topics follow. */ -}}
{{- range $variable, $key := dict "PUSHER_TYPE_SLUG" "pusher" "RUNNER_TYPE_SLUG" "runner" -}}
{{- $config := (include "ranger-relay.component" (list $root (ternary "embedded" $key $root.Values.embedded.enabled)) | fromYaml).Values.config -}}
{{- $_ := set $values.config $variable ($config.INTEGRATION_TYPE_SLUG | default (get $config $variable)) -}}
{{- end -}}
{{- include "ranger-relay.strimziLogin" (list $values "ranger-relay-tools") -}}
{{- include "ranger-relay.context" (list $root (dict "key" "tasks" "name" (index . 1) "connections" (index . 2) "own" $own "Values" $values)) -}}
{{- end -}}

{{/* The pod of a task. Arguments: task, arguments of ranger-relay, claim of the one process that it mounts, if any. */}}
{{- define "ranger-relay.taskPod" -}}
{{- $args := index . 1 -}}
{{- $claim := index . 2 -}}
{{- with index . 0 -}}
restartPolicy: Never
terminationGracePeriodSeconds: 10
{{ include "ranger-relay.pod" . }}
containers:
  - name: {{ .name }}
    args:
      {{- include "ranger-relay.node" (list . 0) | nindent 6 }}
      - /app/ranger-relay.mjs
      {{- range $args }}
      - {{ . | quote }}
      {{- end }}
    env:
      {{- include "ranger-relay.env" . | nindent 6 }}
    {{- include "ranger-relay.container" . | nindent 4 }}
    volumeMounts:
      {{- include "ranger-relay.volumeMounts" . | nindent 6 }}
      {{- if $claim }}
      - { name: data, mountPath: /data }
      {{- end }}
  {{- with .Values.extraContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumes:
  {{- include "ranger-relay.volumes" . | nindent 2 }}
  {{- if $claim }}
  - name: data
    persistentVolumeClaim:
      claimName: {{ $claim }}
  {{- end }}
{{- end -}}
{{- end -}}

{{/* The pod of a test; beside the one process it mounts the volume of that, on its node. Arguments: task, arguments of ranger-relay. */}}
{{- define "ranger-relay.testPod" -}}
{{- $claim := "" -}}
{{- $args := index . 1 -}}
{{- with index . 0 -}}
{{- $hook := dict "helm.sh/hook" "test" "helm.sh/hook-delete-policy" "before-hook-creation" -}}
{{- if and .Values.embedded.enabled .Values.embedded.persistence.enabled -}}
{{- $embedded := merge (dict "name" "ranger-relay" "Values" .Values.embedded) . -}}
{{- $claim = .Values.embedded.persistence.existingClaim | default (printf "data-%s-0" (include "ranger-relay.fullname" $embedded)) -}}
{{- $near := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (dict "matchLabels" (include "ranger-relay.selectorLabels" $embedded | fromYaml)) -}}
{{- $_ := set .Values "affinity" (dict "podAffinity" (dict "requiredDuringSchedulingIgnoredDuringExecution" (list $near))) -}}
{{- $_ := set .Values.config "DATA_DIR" "/data" -}}
{{- end -}}
apiVersion: v1
kind: Pod
metadata:
  {{- include "ranger-relay.metadata" (dict "of" . "labels" .Values.podLabels "annotations" (merge $hook (.Values.podAnnotations | default dict))) | nindent 2 }}
spec:
  {{- include "ranger-relay.taskPod" (list . $args $claim) | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* Egress of a task, and no ingress. Arguments: task, annotations, one more rule. */}}
{{- define "ranger-relay.taskPolicy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "ranger-relay.metadata" (dict "of" (index . 0) "annotations" (index . 1)) | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "ranger-relay.selectorLabels" (index . 0) | nindent 6 }}
  policyTypes: [Ingress, Egress]
  egress:
    {{- include "ranger-relay.egress" (index . 0) | nindent 4 }}
    {{- with index . 2 }}
    {{- toYaml (list .) | nindent 4 }}
    {{- end }}
{{- end -}}
