{{/* Name of the objects: release and chart, unless the release already has that name. A long name ends with its hash. */}}
{{- define "operator.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $full := .Values.fullnameOverride | default (ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name)) -}}
{{- if gt (len $full) 52 -}}
{{- printf "%s-%s" ($full | trunc 43 | trimSuffix "-") (sha256sum $full | trunc 8) -}}
{{- else -}}
{{- $full | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select the operator's pods. They never change: the selector of a Deployment is immutable. */}}
{{- define "operator.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: {{ .Chart.Name }}
{{- end -}}

{{- define "operator.labels" -}}
{{ include "operator.selectorLabels" . }}
app.kubernetes.io/part-of: ranger-relay
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}

{{/* metadata of an object, of the cluster without a namespace. Arguments: `of`, the root context; `suffix`, `name`, `namespace`, `labels`, `annotations`. */}}
{{- define "operator.metadata" -}}
{{- $chart := printf "%s-%s" .of.Chart.Name (.of.Chart.Version | replace "+" "_") -}}
{{- $labels := dict "app.kubernetes.io/managed-by" .of.Release.Service "helm.sh/chart" $chart -}}
name: {{ .name | default (printf "%s%s" (include "operator.fullname" .of) (.suffix | default "")) }}
{{- with .namespace }}
namespace: {{ . }}
{{- end }}
labels:
  {{- toYaml (merge (include "operator.labels" .of | fromYaml) $labels (.labels | default dict) (.of.Values.commonLabels | default dict)) | nindent 2 }}
{{- with merge (dict) (.annotations | default dict) (.of.Values.commonAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "operator.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "operator.fullname" .) -}}
{{- end -}}

{{/* Reference of an image. Arguments: root context, repository and digest of the image. */}}
{{- define "operator.image" -}}
{{- $image := index . 1 -}}
{{- with index . 0 -}}
{{ list .Values.image.registry $image.repository | compact | join "/" }}{{ ternary (print "@" $image.digest) (print ":" (.Values.image.tag | default .Chart.AppVersion)) (ne $image.digest "") }}
{{- end -}}
{{- end -}}

{{/* User ID of pods; empty where the cluster assigns it, as OpenShift does. */}}
{{- define "operator.runAsUser" -}}
{{- if not (or .Values.assignedUser (.Capabilities.APIVersions.Has "security.openshift.io/v1")) -}}65532{{- end -}}
{{- end -}}

{{/* Namespaces that the operator watches, as a JSON list; empty for all of them. */}}
{{- define "operator.namespaces" -}}
{{- $namespaces := .Values.watchNamespaces | default (list .Release.Namespace) | uniq -}}
{{- if .Values.allNamespaces }}{{ $namespaces = list }}{{ end -}}
{{- $namespaces | toJson -}}
{{- end -}}

{{/* Seconds that a pod has to stop: up to 20 for a call to the API server, and 30 for the rest. */}}
{{- define "operator.gracePeriod" -}}
{{- $needed := add 50 .Values.preStopSeconds -}}
{{- $given := .Values.terminationGracePeriodSeconds | default $needed | int64 -}}
{{- if lt $given $needed -}}
{{- fail (printf "terminationGracePeriodSeconds is %d; with preStopSeconds the operator needs at least %d" $given $needed) -}}
{{- end -}}
{{- $given -}}
{{- end -}}

{{/* A scalar as text: whole numbers never in the form 1e+07. */}}
{{- define "operator.text" -}}
{{- if and (kindIs "float64" .) (eq (int64 . | float64) .) -}}{{ int64 . }}{{- else -}}{{ . }}{{- end -}}
{{- end -}}

{{/* Heap of Node.js in MiB, from the memory limit. */}}
{{- define "operator.heap" -}}
{{- $memory := include "operator.text" .Values.resources.limits.memory -}}
{{- $unit := regexFind "[A-Za-z]+$" $memory -}}
{{- $factor := get (dict "k" 1e3 "M" 1e6 "G" 1e9 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824) $unit | default 1 | float64 -}}
{{- $limit := divf (mulf (trimSuffix $unit $memory | float64) $factor) 1048576 | floor | int64 -}}
{{- $heap := .Values.heapMiB | default (div (mul (sub $limit 64) 4) 5) | int64 -}}
{{- if or (lt $heap 32) (gt (add $heap 64) $limit) -}}
{{- fail (printf "resources.limits.memory is %s, which is too little for a heap of %d MiB and 64 MiB beside it; raise it, or lower heapMiB" $memory (max $heap 32)) -}}
{{- end -}}
{{- $heap -}}
{{- end -}}

{{/* Settings of the Jobs' pods, which the operator reads from its environment, as JSON. */}}
{{- define "operator.jobPod" -}}
{{- $pod := dict "runAsUser" (include "operator.runAsUser" . | int64 | default nil) -}}
{{- with .Values.jobs -}}
{{- range $field, $value := dict "labels" .podLabels "annotations" .podAnnotations "nodeSelector" .nodeSelector "tolerations" .tolerations "affinity" .affinity "priorityClassName" .priorityClassName "env" .extraEnv -}}
{{- if $value -}}{{- $_ := set $pod $field $value -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $pod | toJson -}}
{{- end -}}
