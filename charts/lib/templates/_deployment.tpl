{{- define "lib.probe" -}}
{{- $settings := index . 1 -}}
httpGet:
  path: {{ index . 0 }}
  port: health
periodSeconds: {{ $settings.periodSeconds }}
timeoutSeconds: {{ $settings.timeoutSeconds }}
failureThreshold: {{ $settings.failureThreshold }}
{{- end -}}

{{- define "lib.container" -}}
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
env:
  {{- include "lib.env" . | trim | nindent 2 }}
ports:
  {{- if .facts.serves }}
  - name: http
    containerPort: {{ .Values.ports.http }}
    protocol: TCP
  {{- end }}
  - name: health
    containerPort: {{ .Values.ports.health }}
    protocol: TCP
startupProbe:
  {{- include "lib.probe" (list "/livez" .Values.probes.startup) | nindent 2 }}
readinessProbe:
  {{- include "lib.probe" (list "/readyz" .Values.probes.readiness) | nindent 2 }}
livenessProbe:
  {{- include "lib.probe" (list "/livez" .Values.probes.liveness) | nindent 2 }}
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
  {{- if .given.mounts }}
  - name: secrets
    mountPath: {{ include "lib.secretsFolder" . }}
    readOnly: true
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "lib.pod" -}}
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
  automountServiceAccountToken: {{ .facts.callsCluster | default false }}
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ include "lib.grace" . }}
  securityContext:
    {{- include "lib.podSecurity" . | nindent 4 }}
  {{- with include "lib.placement" . | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  affinity:
    {{- if .Values.affinity }}
    {{- toYaml .Values.affinity | nindent 4 }}
    {{- else }}
    {{- include "lib.affinity" . | nindent 4 }}
    {{- end }}
  {{- if .Values.topologySpread.enabled }}
  topologySpreadConstraints:
    {{- include "lib.spread" . | trim | nindent 4 }}
  {{- end }}
  containers:
    - {{ include "lib.container" . | nindent 6 | trim }}
  volumes:
    - {{ include "lib.tmpVolume" . | nindent 6 | trim }}
    {{- if .given.mounts }}
    - {{ include "lib.secretsVolume" . | nindent 6 | trim }}
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- define "lib.deployment" -}}
{{- $pod := include "lib.pod" . -}}
{{- include "lib.checkAdded" (list . ($pod | fromYaml).spec list) -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "lib.metadata" (list . "" dict dict) | nindent 2 }}
spec:
  {{- if not (include "lib.scaler" .) }}
  replicas: {{ .Values.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  selector:
    matchLabels:
      {{- include "lib.selectorLabels" . | nindent 6 }}
  template:
    {{- $pod | nindent 4 }}
{{- end -}}
