{{/* How long a request may take from outside: what the service itself allows, and a little for the way. */}}
{{- define "lib.requestSeconds" -}}
{{- add (include "lib.seconds" (list . .facts.request) | int64) 10 -}}
{{- end -}}

{{/* Annotations by which a known controller takes what the service takes. */}}
{{- define "lib.controllerAnnotations" -}}
{{- if eq .Values.ingress.controller "nginx" -}}
{{- $found := dict -}}
{{- include "lib.variable" (list . .facts.request.bodyVariable $found) -}}
{{- $seconds := include "lib.requestSeconds" . -}}
nginx.ingress.kubernetes.io/proxy-body-size: {{ $found.value | quote }}
nginx.ingress.kubernetes.io/proxy-read-timeout: {{ $seconds | quote }}
nginx.ingress.kubernetes.io/proxy-send-timeout: {{ $seconds | quote }}
nginx.ingress.kubernetes.io/proxy-request-buffering: "on"
{{- end -}}
{{- end -}}

{{- define "lib.ingress" -}}
{{- $ingress := .Values.ingress -}}
{{- $annotations := deepCopy $ingress.annotations -}}
{{- include "lib.fill" (list $annotations (include "lib.controllerAnnotations" . | fromYaml)) -}}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  {{- include "lib.metadata" (list . "" dict $annotations) | nindent 2 }}
spec:
  {{- with $ingress.className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- if $ingress.tls.enabled }}
  tls:
    - hosts:
        {{- toYaml $ingress.hosts | nindent 8 }}
      {{- with $ingress.tls.secretName }}
      secretName: {{ . }}
      {{- end }}
  {{- end }}
  rules:
    {{- range $ingress.hosts }}
    - host: {{ . | quote }}
      http:
        paths:
          {{- range $ingress.paths }}
          - path: {{ . }}
            pathType: Prefix
            backend:
              service:
                name: {{ include "lib.fullname" $ }}
                port:
                  name: http
          {{- end }}
    {{- end }}
{{- end -}}

{{- define "lib.httpRoute" -}}
{{- $route := .Values.httpRoute -}}
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  {{- include "lib.metadata" (list . "" dict $route.annotations) | nindent 2 }}
spec:
  parentRefs:
    {{- toYaml $route.parentRefs | nindent 4 }}
  {{- with $route.hostnames }}
  hostnames:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  rules:
    - matches:
        {{- range .Values.ingress.paths }}
        - path:
            type: PathPrefix
            value: {{ . }}
        {{- end }}
      timeouts:
        request: {{ $route.requestTimeout | default (printf "%ss" (include "lib.requestSeconds" .)) }}
      backendRefs:
        - name: {{ include "lib.fullname" . }}
          port: {{ .Values.service.port }}
{{- end -}}
