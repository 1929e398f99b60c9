{{/* Name and labels of an object that is in no namespace: context, name, more labels, annotations. */}}
{{- define "operator.clusterMetadata" -}}
name: {{ index . 1 }}
labels:
  {{- include "lib.labels" (index . 0) | nindent 2 }}
  {{- with index . 2 }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with index . 3 }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Definitions of the kinds. They are templates, so that an upgrade brings them up to date, and stay when the chart goes: with them all objects would go. */}}
{{- define "operator.crds" -}}
{{- range $path, $_ := .Files.Glob "files/crds/*.json" }}
{{- $crd := $.Files.Get $path | fromJson }}
---
apiVersion: {{ $crd.apiVersion }}
kind: {{ $crd.kind }}
metadata:
  {{- include "operator.clusterMetadata" (list $ $crd.metadata.name dict (dict "helm.sh/resource-policy" "keep")) | nindent 2 }}
spec:
  {{- toYaml $crd.spec | nindent 2 }}
{{- end }}
{{- end -}}
