{{/* Ports of a rule, for one protocol or several. */}}
{{- define "lib.policyPorts" -}}
{{- $protocols := index . 1 -}}
{{- range $port := index . 0 }}
{{- range $protocols }}
- port: {{ $port }}
  protocol: {{ . }}
{{- end }}
{{- end }}
{{- end -}}

{{/* One egress rule: peers (anywhere when there are none), ports, protocols. */}}
{{- define "lib.egressRule" -}}
- ports:
    {{- include "lib.policyPorts" (list (index . 1) (index . 2)) | trim | nindent 4 }}
  {{- with index . 0 }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* The ports at the ends of host:port, host:port, … as a list in JSON. */}}
{{- define "lib.portsOf" -}}
{{- $ports := list -}}
{{- range splitList "," . -}}
{{- with regexFind "[0-9]+$" (trim .) -}}
{{- $ports = append $ports (int64 .) -}}
{{- end -}}
{{- end -}}
{{- $ports | uniq | toJson -}}
{{- end -}}

{{- define "lib.kafkaPorts" -}}
{{- .Values.networkPolicy.kafka.ports | default (include "lib.portsOf" .Values.kafka.brokers | fromJsonArray) | toJson -}}
{{- end -}}

{{- define "lib.redisPorts" -}}
{{- $derived := append (include "lib.portsOf" .Values.redis.sentinels.nodes | fromJsonArray) (int64 .Values.redis.port) -}}
{{- .Values.networkPolicy.redis.ports | default $derived | uniq | toJson -}}
{{- end -}}

{{/* Rules by which a pod reaches names, brokers, store, the internet, and what is declared. */}}
{{- define "lib.dnsEgress" -}}
{{- $dns := .Values.networkPolicy.dns -}}
{{- include "lib.egressRule" (list $dns.to $dns.ports (list "UDP" "TCP")) -}}
{{- end -}}

{{- define "lib.kafkaEgress" -}}
{{- include "lib.egressRule" (list .Values.networkPolicy.kafka.to (include "lib.kafkaPorts" . | fromJsonArray) (list "TCP")) -}}
{{- end -}}

{{- define "lib.redisEgress" -}}
{{- include "lib.egressRule" (list .Values.networkPolicy.redis.to (include "lib.redisPorts" . | fromJsonArray) (list "TCP")) -}}
{{- end -}}

{{- define "lib.internetEgress" -}}
{{- $internet := .Values.networkPolicy.internet -}}
{{- include "lib.egressRule" (list (include "lib.publicPeers" $internet.except | fromJsonArray) $internet.ports (list "TCP")) -}}
{{- end -}}

{{/* Public addresses of both families as peers in JSON, but for the networks that are given. */}}
{{- define "lib.publicPeers" -}}
{{- $four := list -}}
{{- $six := list -}}
{{- range . -}}
{{- if contains ":" . -}}{{- $six = append $six . -}}{{- else -}}{{- $four = append $four . -}}{{- end -}}
{{- end -}}
{{- $blocks := list (dict "cidr" "0.0.0.0/0" "except" $four) (dict "cidr" "::/0" "except" $six) -}}
{{- $peers := list -}}
{{- range $blocks -}}
{{- $peers = append $peers (dict "ipBlock" (ternary . (omit . "except") (not (empty .except)))) -}}
{{- end -}}
{{- $peers | toJson -}}
{{- end -}}

{{/* What every service calls. */}}
{{- define "lib.serviceEgress" -}}
{{- include "lib.dnsEgress" . }}
{{ include "lib.kafkaEgress" . }}
{{ include "lib.redisEgress" . }}
{{- if .Values.networkPolicy.internet.enabled }}
{{ include "lib.internetEgress" . }}
{{- end }}
{{- end -}}

{{- define "lib.ingressRule" -}}
- from:
    {{- toYaml (index . 0) | nindent 4 }}
  ports:
    - port: {{ index . 1 }}
      protocol: TCP
{{- end -}}

{{/* Nothing passes to or from the pods of a component but what is named. */}}
{{- define "lib.networkPolicy" -}}
{{- $policy := .Values.networkPolicy -}}
{{- $http := and .facts.serves $policy.http.from -}}
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
  {{- if or $http $policy.metrics.from }}
  ingress:
    {{- if $http }}
    {{- include "lib.ingressRule" (list $policy.http.from "http") | nindent 4 }}
    {{- end }}
    {{- with $policy.metrics.from }}
    {{- include "lib.ingressRule" (list . "health") | nindent 4 }}
    {{- end }}
  {{- end }}
  egress:
    {{- include (.facts.egress | default "lib.serviceEgress") . | nindent 4 }}
    {{- with $policy.egress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/*
For the whole release, also for pods that no other policy knows, but not for components that are to have none. Once per release: by the chart
that is installed. Context, components.
*/}}
{{- define "lib.defaultDeny" -}}
{{- $open := index . 1 -}}
{{- with index . 0 -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "lib.metadata" (list . "-default-deny" dict dict) | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      app.kubernetes.io/instance: {{ .Release.Name }}
      app.kubernetes.io/part-of: ranger-relay
    {{- with $open }}
    matchExpressions:
      - key: app.kubernetes.io/component
        operator: NotIn
        values:
          {{- toYaml . | nindent 10 }}
    {{- end }}
  policyTypes:
    - Ingress
    - Egress
{{- end -}}
{{- end -}}
