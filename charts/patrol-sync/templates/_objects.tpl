{{/* Checklists and run records outlive pods, Jobs and the chart itself. */}}
{{- define "patrol-sync.claim" -}}
{{- $claim := .Values.output.claim -}}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ include "patrol-sync.outputClaim" . }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "lib.labels" . | nindent 4 }}
  annotations:
    helm.sh/resource-policy: keep
    {{- with $claim.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  accessModes:
    - {{ $claim.accessMode }}
  {{- with $claim.storageClassName }}
  storageClassName: {{ . }}
  {{- end }}
  resources:
    requests:
      storage: {{ include "lib.text" $claim.size }}
{{- end -}}

{{/* Port of the site, from its address. */}}
{{- define "patrol-sync.sitePort" -}}
{{- $address := .Values.site.endpoint | trimSuffix "/" -}}
{{- $host := regexReplaceAll "^https?://" $address "" | splitList "/" | first -}}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $host) | default (ternary "80" "443" (hasPrefix "http://" $address)) -}}
{{- end -}}

{{/* Peers of the site as JSON: those that are named, else its address when it is one, else every public address. */}}
{{- define "patrol-sync.sitePeers" -}}
{{- $address := regexFind "^(?:https?://)?(?:[0-9]{1,3}[.]){3}[0-9]{1,3}(?:[:/]|$)" .Values.site.endpoint | trimAll ":/" | trimPrefix "https://" | trimPrefix "http://" -}}
{{- if .Values.networkPolicy.site.to -}}
{{- .Values.networkPolicy.site.to | toJson -}}
{{- else if $address -}}
{{- list (dict "ipBlock" (dict "cidr" (printf "%s/32" $address))) | toJson -}}
{{- else -}}
{{- include "lib.publicPeers" .Values.networkPolicy.internet.except -}}
{{- end -}}
{{- end -}}

{{/* Nobody reaches the pods; they reach names and the site. */}}
{{- define "patrol-sync.policy" -}}
{{- $ports := .Values.networkPolicy.site.ports | default (list (include "patrol-sync.sitePort" . | int64)) -}}
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
  egress:
    {{- include "lib.dnsEgress" . | nindent 4 }}
    {{- include "lib.egressRule" (list (include "patrol-sync.sitePeers" . | fromJsonArray) $ports (list "TCP")) | nindent 4 }}
    {{- with .Values.networkPolicy.egress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* helm test: whether a run would work. */}}
{{- define "patrol-sync.test" -}}
{{- $doctor := dict -}}
{{- range .facts.commands -}}{{- if eq .suffix "-doctor" -}}{{- $doctor = . -}}{{- end -}}{{- end -}}
apiVersion: v1
kind: Pod
metadata:
  name: {{ include "lib.fullname" . }}-test
  namespace: {{ .Release.Namespace }}
  {{- $metadata := include "patrol-sync.podMetadata" (list . $doctor) | fromYaml }}
  labels:
    {{- toYaml $metadata.labels | nindent 4 }}
  annotations:
    helm.sh/hook: test
    helm.sh/hook-delete-policy: before-hook-creation
    {{- with $metadata.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  {{- include "patrol-sync.podSpec" (list . $doctor) | nindent 2 }}
{{- end -}}
