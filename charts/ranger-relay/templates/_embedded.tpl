{{/* Variables of the one process. Without a platform it needs no Secret: what it must keep to itself it makes. */}}
{{- define "relay.embeddedVariables" -}}
{{- $_ := set . "given" (dict "values" dict "mounts" dict "places" dict) -}}
{{- $_ := set .Values "ports" (dict "http" 8081) -}}
{{- range $name, $value := dict "HOST" "::" "DATA_DIR" "/data" "INGESTER_PORT" "8081" "PUSHER_PORT" "8082" "RUNNER_PORT" "8083" "FORWARDER_PORT" "8084" -}}
{{- include "lib.give" (list $ $name "the chart itself" "values" $value) -}}
{{- end -}}
{{- $grace := sub (include "lib.grace" . | int64) (add 5 (.Values.preStopSeconds | int64)) -}}
{{- include "lib.give" (list . "STOP_GRACE_S" "embedded.terminationGracePeriodSeconds" "values" (toString $grace)) -}}
{{- include "relay.collect" . -}}
{{- if .Values.platform.apiUrl -}}
{{- $found := dict -}}
{{- range $check := list (list "WEBHOOK_AUTH" "token" "WEBHOOK_TOKENS_FILE") (list "AUTH_MODE" "bearer" "AUTH_TOKEN") -}}
{{- include "lib.variable" (list $ (index $check 0) $found) -}}
{{- $wanted := index $check 2 -}}
{{- if and (eq $found.value (index $check 1)) (not (hasKey $.given.mounts $wanted)) -}}
{{- include "lib.give" (list $ $wanted "global.secretName" "mounts" (dict "name" $.Values.secretName "key" $wanted "kind" "Secret")) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "relay.embeddedPorts" -}}
http: 8081
pusher: 8082
runner: 8083
health: 8084
{{- end -}}

{{- define "relay.embeddedProbe" -}}
httpGet:
  path: {{ index . 0 }}
  port: {{ index . 1 }}
periodSeconds: {{ index . 2 }}
timeoutSeconds: 5
failureThreshold: {{ index . 3 }}
{{- end -}}

{{- define "relay.embeddedPod" -}}
metadata:
  labels:
    {{- include "lib.podLabels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "lib.accountName" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ include "lib.grace" . }}
  securityContext:
    {{- include "lib.podSecurity" . | nindent 4 }}
  {{- with include "lib.placement" . | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - {{ include "relay.embeddedContainer" . | nindent 6 | trim }}
  volumes:
    - {{ include "lib.tmpVolume" . | nindent 6 | trim }}
    {{- if .given.mounts }}
    - {{ include "lib.secretsVolume" . | nindent 6 | trim }}
    {{- end }}
    {{- if not .Values.persistence.enabled }}
    - name: data
      emptyDir:
        sizeLimit: {{ .Values.persistence.size }}
    {{- else if .Values.persistence.existingClaim }}
    - name: data
      persistentVolumeClaim:
        claimName: {{ .Values.persistence.existingClaim }}
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- define "relay.embeddedContainer" -}}
name: {{ .Chart.Name }}
image: {{ include "lib.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
command:
  - /usr/local/bin/node
args:
  - --max-old-space-size={{ include "lib.heap" . }}
  {{- range .facts.flags }}
  - {{ . }}
  {{- end }}
  - {{ .facts.program }}
  - up
env:
  {{- include "lib.env" . | trim | nindent 2 }}
ports:
  {{- range $name, $port := include "relay.embeddedPorts" . | fromYaml }}
  - name: {{ $name }}
    containerPort: {{ $port }}
    protocol: TCP
  {{- end }}
startupProbe:
  {{- include "relay.embeddedProbe" (list "/livez" "http" 2 60) | nindent 2 }}
readinessProbe:
  {{- include "relay.embeddedProbe" (list "/readyz" "http" 5 2) | nindent 2 }}
livenessProbe:
  {{- include "relay.embeddedProbe" (list "/livez" "health" 10 6) | nindent 2 }}
{{- with .Values.preStopSeconds }}
lifecycle:
  preStop:
    sleep:
      seconds: {{ . }}
{{- end }}
resources:
  {{- include "lib.resources" . | trim | nindent 2 }}
securityContext:
  {{- include "lib.containerSecurity" . | nindent 2 }}
volumeMounts:
  - {{ include "lib.tmpMount" . | nindent 4 | trim }}
  - name: data
    mountPath: /data
  {{- if .given.mounts }}
  - name: secrets
    mountPath: {{ include "lib.secretsFolder" . }}
    readOnly: true
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "relay.statefulSet" -}}
{{- $pod := include "relay.embeddedPod" . -}}
{{- $told := merge (dict "Chart" (dict "Name" "ranger-relay (embedded)")) . -}}
{{- include "lib.checkAdded" (list $told ($pod | fromYaml).spec (list "data")) -}}
apiVersion: apps/v1
kind: StatefulSet
metadata:
  {{- include "lib.metadata" (list . "" dict dict) | nindent 2 }}
spec:
  replicas: 1
  revisionHistoryLimit: 5
  serviceName: {{ include "lib.fullname" . }}-pods
  selector:
    matchLabels:
      {{- include "lib.selectorLabels" . | nindent 6 }}
  template:
    {{- $pod | nindent 4 }}
  {{- if and .Values.persistence.enabled (not .Values.persistence.existingClaim) }}
  volumeClaimTemplates:
    - metadata:
        name: data
        labels:
          {{- include "lib.selectorLabels" . | nindent 10 }}
        {{- with .Values.persistence.annotations }}
        annotations:
          {{- toYaml . | nindent 10 }}
        {{- end }}
      spec:
        accessModes:
          - ReadWriteOnce
        {{- with .Values.persistence.storageClassName }}
        storageClassName: {{ . }}
        {{- end }}
        resources:
          requests:
            storage: {{ .Values.persistence.size }}
  {{- end }}
{{- end -}}

{{/* The name of the pod in the cluster’s DNS; also where metrics are read. */}}
{{- define "relay.podsService" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "lib.metadata" (list . "-pods" (dict "ranger-relay/role" "metrics") dict) | nindent 2 }}
spec:
  type: ClusterIP
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    {{- include "lib.selectorLabels" . | nindent 4 }}
  ports:
    {{- range $name, $port := include "relay.embeddedPorts" . | fromYaml }}
    - name: {{ $name }}
      port: {{ $port }}
      targetPort: {{ $name }}
      protocol: TCP
      appProtocol: http
    {{- end }}
{{- end -}}

{{/* Callers of actions, beside the webhook. */}}
{{- define "relay.actionsService" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "lib.metadata" (list . "-actions" dict dict) | nindent 2 }}
spec:
  type: ClusterIP
  selector:
    {{- include "lib.selectorLabels" . | nindent 4 }}
  ports:
    {{- range list "pusher" "runner" }}
    - name: {{ . }}
      port: {{ get (include "relay.embeddedPorts" $ | fromYaml) . }}
      targetPort: {{ . }}
      protocol: TCP
      appProtocol: http
    {{- end }}
{{- end -}}

{{- define "relay.embeddedPolicy" -}}
{{- $policy := .Values.networkPolicy -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "lib.metadata" (list . "" dict dict) | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "lib.selectorLabels" . | nindent 6 }}
  policyTypes:
    - Ingress
    - Egress
  {{- if or $policy.http.from $policy.metrics.from }}
  ingress:
    {{- with $policy.http.from }}
    {{- range $port := list "http" "pusher" "runner" }}
    {{- include "lib.ingressRule" (list $policy.http.from $port) | nindent 4 }}
    {{- end }}
    {{- end }}
    {{- with $policy.metrics.from }}
    {{- include "lib.ingressRule" (list $policy.metrics.from "health") | nindent 4 }}
    {{- end }}
  {{- end }}
  egress:
    {{- include "lib.dnsEgress" . | nindent 4 }}
    {{- if $policy.internet.enabled }}
    {{- include "lib.internetEgress" . | nindent 4 }}
    {{- end }}
    {{- with $policy.egress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- define "relay.embeddedMonitor" -}}
{{- $monitor := .Values.serviceMonitor -}}
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  {{- include "lib.metadata" (list . "" $monitor.labels dict) | nindent 2 }}
spec:
  jobLabel: app.kubernetes.io/component
  selector:
    matchLabels:
      {{- include "lib.selectorLabels" . | nindent 6 }}
      ranger-relay/role: metrics
  endpoints:
    # Every port shows the metrics of the whole process.
    - port: health
      path: /metrics
      interval: {{ $monitor.interval }}
      scrapeTimeout: {{ $monitor.scrapeTimeout }}
      relabelings:
        - sourceLabels:
            - __meta_kubernetes_service_label_app_kubernetes_io_instance
          targetLabel: release
{{- end -}}
