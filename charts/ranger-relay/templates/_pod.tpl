{{/* Pod of every component without its containers and volumes: Pod Security restricted. */}}
{{- define "ranger-relay.pod" -}}
serviceAccountName: {{ include "ranger-relay.serviceAccountName" . }}
automountServiceAccountToken: false
{{ include "ranger-relay.podFields" . }}
{{- end -}}

{{/* A task may run before the installation, when the accounts of the release do not exist yet. */}}
{{- define "ranger-relay.serviceAccountName" -}}
{{- $account := .Values.serviceAccount -}}
{{- if eq .key "tasks" -}}
{{- (.own.serviceAccount).name | default (ternary "" $account.name $account.create) | default "default" -}}
{{- else -}}
{{- $account.name | default (ternary (include "ranger-relay.fullname" .) "default" $account.create) -}}
{{- end -}}
{{- end -}}

{{/* Pods of a Deployment prefer different nodes and zones. Zones are only preferred: a required zone would exclude nodes without one. */}}
{{- define "ranger-relay.spread" -}}
{{- if not .Values.affinity }}
affinity:
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "ranger-relay.selectorLabels" . | nindent 14 }}
{{- end }}
{{- if .Values.topologySpread.enabled }}
topologySpreadConstraints:
  {{- range $key, $when := dict "kubernetes.io/hostname" .Values.topologySpread.whenUnsatisfiable "topology.kubernetes.io/zone" "ScheduleAnyway" }}
  - topologyKey: {{ $key }}
    maxSkew: {{ int64 $.Values.topologySpread.maxSkew }}
    whenUnsatisfiable: {{ $when }}
    labelSelector:
      matchLabels:
        {{- include "ranger-relay.selectorLabels" $ | nindent 8 }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "ranger-relay.podMetadata" -}}
labels:
  {{- toYaml (merge (include "ranger-relay.labels" . | fromYaml) (.Values.podLabels | default dict) (.Values.commonLabels | default dict)) | nindent 2 }}
{{- with merge (dict) (.Values.podAnnotations | default dict) (.Values.commonAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Container of every component without name, args, env, ports and volumeMounts. */}}
{{- define "ranger-relay.container" -}}
{{ include "ranger-relay.containerFields" . }}
resources:
  {{- range $kind, $quantities := .Values.resources }}
  {{ $kind }}:
    {{- range $name, $quantity := $quantities }}
    {{- if not (kindIs "invalid" $quantity) }}
    {{ $name }}: {{ include "ranger-relay.text" $quantity }}
    {{- end }}
    {{- end }}
  {{- end }}
{{- if eq .key "tasks" }}
terminationMessagePolicy: FallbackToLogsOnError
{{- else }}
{{- range $probe, $path := dict "startup" "/livez" "readiness" "/readyz" "liveness" "/livez" }}
{{ $probe }}Probe:
  {{- /* The one process has a port for each service; that of the ingester reports the readiness of all. */}}
  httpGet: { path: {{ $path }}, port: {{ ternary "http" "health" (and (eq $.key "embedded") (ne $probe "liveness")) }} }
  {{- toYaml (get $.Values.probes $probe) | nindent 2 }}
{{- end }}
{{- with .Values.preStopSeconds }}
lifecycle:
  preStop:
    sleep:
      seconds: {{ int64 . }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "ranger-relay.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
{{- if include "ranger-relay.secrets" . | fromYaml }}
- name: secrets
  mountPath: /etc/ranger-relay/secrets
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "ranger-relay.volumes" -}}
{{ include "ranger-relay.tmp" . }}
{{- with include "ranger-relay.secrets" . | fromYaml }}
- name: secrets
  {{- /* Without sub-paths, so that a changed Secret reaches the pod. */}}
  projected:
    defaultMode: 288 # 0440
    sources:
      {{- range $name, $ref := . }}
      - {{ ternary "configMap" "secret" (eq ($ref.kind | default "Secret") "ConfigMap") }}:
          name: {{ $ref.name }}
          items:
            - key: {{ $ref.key | quote }}
              path: {{ $name }}
      {{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Flags of Node.js. The heap is four fifths of what the memory limit leaves beside buffers and code. Arguments: component, bytes of buffers. */}}
{{- define "ranger-relay.node" -}}
{{- $of := index . 0 -}}
{{- $memory := required (printf "%s: resources.limits.memory is not set, but the heap of the process follows from it" $of.key) $of.Values.resources.limits.memory -}}
{{- $limit := include "ranger-relay.mebibytes" $memory | int64 -}}
{{- $beside := add 64 (div (int64 (index . 1)) 1048576) -}}
{{- $heap := $of.Values.heapMiB | default (div (mul (sub $limit $beside) 4) 5) | int64 -}}
{{- if lt $heap 32 -}}
{{- fail (printf "%s: resources.limits.memory is %s, which leaves no heap beside the %d MiB of buffers and code; set at least %dMi" $of.key $memory $beside (add $beside 64)) -}}
{{- else if gt (add $heap $beside) $limit -}}
{{- fail (printf "%s: heapMiB is %d, but resources.limits.memory is %s, of which buffers and code take %d MiB; set heapMiB to at most %d, or leave it out" $of.key $heap $memory $beside (sub $limit $beside)) -}}
{{- end -}}
- --max-old-space-size={{ $heap }}
- --max-semi-space-size=6
- --optimize-for-size
{{- end -}}
