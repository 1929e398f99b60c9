{{/* The value of what sets the replicas instead of the chart; nothing when the chart does. */}}
{{- define "lib.scaler" -}}
{{- range list "autoscaling" "keda" -}}
{{- if (get $.Values . | default dict).enabled -}}{{ . }}{{- end -}}
{{- end -}}
{{- end -}}

{{- define "lib.disruptionBudget" -}}
{{- $budget := .Values.podDisruptionBudget -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "lib.metadata" (list . "" dict dict) | nindent 2 }}
spec:
  {{- if kindIs "invalid" $budget.minAvailable }}
  maxUnavailable: {{ $budget.maxUnavailable }}
  {{- else }}
  minAvailable: {{ $budget.minAvailable }}
  {{- end }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "lib.selectorLabels" . | nindent 6 }}
{{- end -}}

{{- define "lib.autoscaler" -}}
{{- $scaling := .Values.autoscaling -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "lib.metadata" (list . "" dict dict) | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "lib.fullname" . }}
  minReplicas: {{ $scaling.minReplicas }}
  maxReplicas: {{ $scaling.maxReplicas }}
  metrics:
    {{- range $resource, $target := dict "cpu" $scaling.targetCPU "memory" $scaling.targetMemory }}
    {{- if not (kindIs "invalid" $target) }}
    - type: Resource
      resource:
        name: {{ $resource }}
        target:
          type: Utilization
          averageUtilization: {{ $target }}
    {{- end }}
    {{- end }}
  {{- with $scaling.behavior }}
  behavior:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Name of a topic on the brokers: renamed by a variable, or made of the type of the integration, behind the prefix. */}}
{{- define "lib.topicName" -}}
{{- $root := index . 0 -}}
{{- $consumed := index . 1 -}}
{{- $name := $consumed.topic -}}
{{- $found := dict "value" "" -}}
{{- if $consumed.slug -}}
{{- include "lib.variable" (list $root $consumed.slug $found) -}}
{{- $name = printf "%s%s" $found.value $name -}}
{{- end -}}
{{- if $consumed.variable -}}
{{- include "lib.variable" (list $root $consumed.variable $found) -}}
{{- $name = $found.value | default $name -}}
{{- end -}}
{{- printf "%s%s" $root.Values.kafka.prefix $name -}}
{{- end -}}

{{- define "lib.scaledObject" -}}
{{- $keda := .Values.keda -}}
{{- $kafka := .Values.kafka -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  {{- include "lib.metadata" (list . "" dict dict) | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "lib.fullname" . }}
  minReplicaCount: {{ $keda.minReplicas }}
  maxReplicaCount: {{ $keda.maxReplicas }}
  pollingInterval: {{ $keda.pollingInterval }}
  cooldownPeriod: {{ $keda.cooldownPeriod }}
  {{- with .Values.autoscaling.behavior }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        {{- toYaml . | nindent 8 }}
  {{- end }}
  triggers:
    {{- range .facts.consumes }}
    - type: kafka
      metadata:
        bootstrapServers: {{ $kafka.brokers | quote }}
        consumerGroup: {{ printf "%s%s" $kafka.prefix .group | quote }}
        topic: {{ include "lib.topicName" (list $ .) | quote }}
        lagThreshold: {{ $keda.lagThreshold | quote }}
        activationLagThreshold: {{ $keda.activationLagThreshold | quote }}
        offsetResetPolicy: earliest
        excludePersistentLag: {{ $keda.excludePersistentLag | quote }}
        limitToPartitionsWithLag: {{ $keda.limitToPartitionsWithLag | quote }}
        sasl: {{ ternary "none" ($kafka.sasl.mechanism | replace "plain" "plaintext" | replace "-sha-" "_sha") (eq $kafka.sasl.mechanism "none") }}
        tls: {{ ternary "enable" "disable" $kafka.tls.enabled }}
      {{- if include "lib.triggerSecrets" $ }}
      authenticationRef:
        name: {{ include "lib.fullname" $ }}
      {{- end }}
    {{- end }}
{{- end -}}

{{/* What KEDA needs to log in: parameter and reference of each, nothing when the brokers ask for nothing. */}}
{{- define "lib.triggerSecrets" -}}
{{- range $variable, $parameter := dict "KAFKA_SASL_PASSWORD" "password" "KAFKA_TLS_CA_FILE" "ca" "KAFKA_TLS_CERT_FILE" "cert" "KAFKA_TLS_KEY_FILE" "key" }}
{{- with get $.given.mounts $variable }}
{{ $parameter }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "lib.triggerAuthentication" -}}
{{- $refs := dict "Secret" dict "ConfigMap" dict -}}
{{- range $parameter, $ref := include "lib.triggerSecrets" . | fromYaml -}}
{{- $_ := set (get $refs $ref.kind) $parameter $ref -}}
{{- end -}}
apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata:
  {{- include "lib.metadata" (list . "" dict dict) | nindent 2 }}
spec:
  {{- range $field, $kind := dict "secretTargetRef" "Secret" "configMapTargetRef" "ConfigMap" }}
  {{- with get $refs $kind }}
  {{ $field }}:
    {{- range $parameter, $ref := . }}
    - parameter: {{ $parameter }}
      name: {{ $ref.name }}
      key: {{ $ref.key | quote }}
    {{- end }}
  {{- end }}
  {{- end }}
  {{- if ne .Values.kafka.sasl.mechanism "none" }}
  env:
    - parameter: username
      name: KAFKA_SASL_USERNAME
      containerName: {{ .Chart.Name }}
  {{- end }}
{{- end -}}
