{{/*
What the charts ranger-relay, operator and patrol-sync have in common; the other two link to this file. Its templates take a root context: that of
the chart, or that of a component of the chart ranger-relay, which has a `name`.
*/}}

{{/* Name of the objects: release and chart or component, unless the release already has that name. A long name ends with its hash. */}}
{{- define "ranger-relay.fullname" -}}
{{- $name := .Values.nameOverride | default .name | default .Chart.Name -}}
{{- $full := .Values.fullnameOverride | default (ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name)) -}}
{{- if gt (len $full) 52 -}}
{{- printf "%s-%s" ($full | trunc 43 | trimSuffix "-") (sha256sum $full | trunc 8) -}}
{{- else -}}
{{- $full | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Selectors are immutable: these labels never change, also when the names of objects do. */}}
{{- define "ranger-relay.selectorLabels" -}}
app.kubernetes.io/name: {{ .name | default .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: {{ .name | default .Chart.Name }}
{{- end -}}

{{- define "ranger-relay.labels" -}}
{{ include "ranger-relay.selectorLabels" . }}
app.kubernetes.io/part-of: ranger-relay
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}

{{/*
metadata of an object. Arguments: `of`, the root context; `suffix` or `name`, `labels`, `annotations` as far as it has them; `namespace`, when it is
another than that of the release, or empty for an object of the cluster.
*/}}
{{- define "ranger-relay.metadata" -}}
{{- $chart := printf "%s-%s" .of.Chart.Name (.of.Chart.Version | replace "+" "_") -}}
{{- $labels := dict "app.kubernetes.io/managed-by" .of.Release.Service "helm.sh/chart" $chart -}}
name: {{ .name | default (printf "%s%s" (include "ranger-relay.fullname" .of) (.suffix | default "")) }}
{{- with hasKey . "namespace" | ternary .namespace .of.Release.Namespace }}
namespace: {{ . }}
{{- end }}
labels:
  {{- toYaml (merge (include "ranger-relay.labels" .of | fromYaml) $labels (.labels | default dict) (.of.Values.commonLabels | default dict)) | nindent 2 }}
{{- with merge (dict) (.annotations | default dict) (.of.Values.commonAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* A ServiceAccount whose token is mounted only where a pod asks for it. Arguments: root context, name. */}}
{{- define "ranger-relay.serviceAccount" -}}
{{- with index . 0 -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "ranger-relay.metadata" (dict "of" . "name" (index $ 1) "annotations" .Values.serviceAccount.annotations) | nindent 2 }}
automountServiceAccountToken: false
{{- end -}}
{{- end -}}

{{/* A scalar as text: whole numbers never in the form 1e+07. */}}
{{- define "ranger-relay.text" -}}
{{- if and (kindIs "float64" .) (eq (int64 . | float64) .) -}}{{ int64 . }}{{- else -}}{{ . }}{{- end -}}
{{- end -}}

{{/* A quantity of memory in whole MiB. */}}
{{- define "ranger-relay.mebibytes" -}}
{{- $quantity := include "ranger-relay.text" . -}}
{{- $unit := regexFind "[A-Za-z]+$" $quantity -}}
{{- $factor := get (dict "k" 1e3 "M" 1e6 "G" 1e9 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824) $unit | default 1 | float64 -}}
{{- divf (mulf (trimSuffix $unit $quantity | float64) $factor) 1048576 | floor | int64 -}}
{{- end -}}

{{/* Heap of Node.js in MiB, from the memory limit. In the chart ranger-relay it follows from buffers too (`ranger-relay.node`). */}}
{{- define "ranger-relay.heap" -}}
{{- $memory := .Values.resources.limits.memory -}}
{{- $limit := include "ranger-relay.mebibytes" $memory | int64 -}}
{{- $heap := .Values.heapMiB | default (div (mul (sub $limit 64) 4) 5) | int64 -}}
{{- if or (lt $heap 32) (gt (add $heap 64) $limit) -}}
{{- fail (printf "resources.limits.memory is %s, which is too little for a heap of %d MiB and 64 MiB beside it; raise it, or lower heapMiB" (include "ranger-relay.text" $memory) (max $heap 32)) -}}
{{- end -}}
{{- $heap -}}
{{- end -}}

{{/* Reference of an image: root context, repository and digest of the image. */}}
{{- define "ranger-relay.image" -}}
{{- $image := index . 1 -}}
{{- with index . 0 -}}
{{ list .Values.image.registry $image.repository | compact | join "/" }}{{ ternary (print "@" $image.digest) (print ":" (.Values.image.tag | default .Chart.AppVersion)) (ne $image.digest "") }}
{{- end -}}
{{- end -}}

{{/* User ID of pods; empty where the cluster assigns it, as OpenShift does, which refuses others. */}}
{{- define "ranger-relay.runAsUser" -}}
{{- $openshift := .openshift | default (and .Capabilities (.Capabilities.APIVersions.Has "security.openshift.io/v1")) -}}
{{- if not (or .Values.assignedUser $openshift) -}}65532{{- end -}}
{{- end -}}

{{/* Fields of every pod: Pod Security restricted, and what values pass on to Kubernetes. */}}
{{- define "ranger-relay.podFields" -}}
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  {{- with include "ranger-relay.runAsUser" . }}
  runAsUser: {{ . }}
  runAsGroup: {{ . }}
  fsGroup: {{ . }}
  {{- end }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- range $key := list "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" "priorityClassName" "imagePullSecrets" "hostAliases" "initContainers" }}
{{- with get $.Values $key }}
{{ toYaml (dict $key .) }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Fields of every container. */}}
{{- define "ranger-relay.containerFields" -}}
image: {{ include "ranger-relay.image" (list . .Values.image) }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
command:
  - /usr/local/bin/node
{{- with .Values.envFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  runAsNonRoot: true
  capabilities:
    drop:
      - ALL
{{- end -}}

{{/* The volume of every pod for temporary files. */}}
{{- define "ranger-relay.tmp" -}}
- name: tmp
  emptyDir:
    sizeLimit: {{ index .Values.resources.limits "ephemeral-storage" | include "ranger-relay.text" }}
{{- end -}}

{{/* A rule of egress: ports, peers, protocols; anywhere without peers. */}}
{{- define "ranger-relay.egressRule" -}}
- ports:
    {{- range $port := index . 0 }}
    {{- range slice $ 2 }}
    - { port: {{ int64 $port }}, protocol: {{ . }} }
    {{- end }}
    {{- end }}
  {{- with index . 1 }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Every address as peers, except some networks. */}}
{{- define "ranger-relay.internet" -}}
{{- range $all, $family := dict "0.0.0.0/0" "^[^:]+$" "::/0" ":" }}
{{- $except := list }}
{{- range $ }}
{{- if regexMatch $family . }}{{ $except = append $except . }}{{ end }}
{{- end }}
- ipBlock:
    {{- toYaml (merge (dict "cidr" $all) (ternary (dict "except" $except) dict (not (empty $except)))) | nindent 4 }}
{{- end }}
{{- end -}}

{{/* Headless Service whose pods are scraped. Arguments: root context, end of its name, ports of the pods by their names. */}}
{{- define "ranger-relay.metricsService" -}}
{{- with index . 0 -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "ranger-relay.metadata" (dict "of" . "suffix" (index $ 1) "labels" (dict "ranger-relay/role" "metrics")) | nindent 2 }}
spec:
  type: ClusterIP
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    {{- include "ranger-relay.selectorLabels" . | nindent 4 }}
  ports:
    {{- range $name, $port := index $ 2 }}
    - { name: {{ $name }}, port: {{ int64 $port }}, targetPort: {{ $name }}, protocol: TCP, appProtocol: http }
    {{- end }}
{{- end -}}
{{- end -}}

{{- define "ranger-relay.serviceMonitor" -}}
{{- if and .Values.networkPolicy.enabled (not .Values.networkPolicy.metrics.from) }}
{{- fail "serviceMonitor.enabled is true, but networkPolicy.metrics.from lets nobody read the metrics; name the namespace of Prometheus there" }}
{{- end -}}
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  {{- include "ranger-relay.metadata" (dict "of" . "labels" .Values.serviceMonitor.labels) | nindent 2 }}
spec:
  jobLabel: app.kubernetes.io/component
  selector:
    matchLabels:
      {{- include "ranger-relay.selectorLabels" . | nindent 6 }}
      ranger-relay/role: metrics
  endpoints:
    - port: health
      path: /metrics
      interval: {{ .Values.serviceMonitor.interval }}
      scrapeTimeout: {{ .Values.serviceMonitor.scrapeTimeout }}
      relabelings:
        - { sourceLabels: [__meta_kubernetes_service_label_app_kubernetes_io_instance], targetLabel: release }
{{- end -}}

{{/* Arguments: root context, its values of the rule, text of the alerts. */}}
{{- define "ranger-relay.prometheusRule" -}}
{{- $rule := index . 1 -}}
{{- $alerts := index . 2 -}}
{{- with index . 0 -}}
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  {{- include "ranger-relay.metadata" (dict "of" . "labels" $rule.labels) | nindent 2 }}
spec:
  {{- /* The text is not a template: its {{ … }} are for Prometheus. Names of objects in it are replaced by those of the release. */}}
  {{- $runbooks := printf "runbook_url: %sk8s/runbooks/" $rule.runbooksUrl }}
  {{- $alerts | replace "runbook_url: k8s/runbooks/" $runbooks | replace (print ".*" (.name | default .Chart.Name)) (include "ranger-relay.fullname" .) | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* ConfigMap of a dashboard. Arguments: root context, its values of dashboards, text of the dashboard. */}}
{{- define "ranger-relay.dashboard" -}}
{{- $dashboards := index . 1 -}}
{{- $json := index . 2 -}}
{{- with index . 0 -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "ranger-relay.metadata" (dict "of" . "suffix" "-dashboards" "labels" $dashboards.labels "annotations" $dashboards.annotations) | nindent 2 }}
data:
  {{ .name | default .Chart.Name }}.json: |
    {{- $json | nindent 4 }}
{{- end -}}
{{- end -}}
