{{/* Name of the component in the names of objects. */}}
{{- define "lib.component" -}}
{{- .Values.nameOverride | default .Chart.Name -}}
{{- end -}}

{{/* Name of the objects: the release and the component, unless the release is called so already. What is too long ends with its hash. */}}
{{- define "lib.fullname" -}}
{{- $name := include "lib.component" . -}}
{{- $whole := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- $whole = .Values.fullnameOverride | default $whole -}}
{{- if gt (len $whole) 52 -}}
{{- printf "%s-%s" ($whole | trunc 43 | trimSuffix "-") (sha256sum $whole | trunc 8) -}}
{{- else -}}
{{- $whole | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels by which the pods of a component are found. They never change, whatever the objects are called: a Deployment keeps its selector. */}}
{{- define "lib.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: {{ .Chart.Name }}
{{- end -}}

{{/* Labels of the pods. */}}
{{- define "lib.podLabels" -}}
{{ include "lib.selectorLabels" . }}
app.kubernetes.io/part-of: ranger-relay
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}

{{/* Labels of every object. */}}
{{- define "lib.labels" -}}
{{ include "lib.podLabels" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_") }}
{{- end -}}

{{/* Name and labels of an object: context, end of the name, more labels, annotations. */}}
{{- define "lib.metadata" -}}
{{- $root := index . 0 -}}
name: {{ include "lib.fullname" $root }}{{ index . 1 }}
namespace: {{ $root.Release.Namespace }}
labels:
  {{- include "lib.labels" $root | nindent 2 }}
  {{- with index . 2 }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with index . 3 }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Account of the pods. */}}
{{- define "lib.accountName" -}}
{{- .Values.serviceAccount.name | default (include "lib.fullname" .) -}}
{{- end -}}

{{/* The whole reference of the image; a digest counts before a tag. */}}
{{- define "lib.image" -}}
{{- $image := .Values.image -}}
{{- $name := list $image.registry $image.repository | compact | join "/" -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $name $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name ($image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}
