{{- define "lib.requestService" -}}
{{- $service := .Values.service -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "lib.metadata" (list . "" dict $service.annotations) | nindent 2 }}
spec:
  type: {{ $service.type }}
  {{- with $service.externalTrafficPolicy }}
  externalTrafficPolicy: {{ . }}
  {{- end }}
  {{- with $service.loadBalancerSourceRanges }}
  loadBalancerSourceRanges:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  selector:
    {{- include "lib.selectorLabels" . | nindent 4 }}
  ports:
    - name: http
      port: {{ $service.port }}
      targetPort: http
      protocol: TCP
      appProtocol: http
      {{- with $service.nodePort }}
      nodePort: {{ . }}
      {{- end }}
{{- end -}}

{{/* Apart from the requests' Service, so that a type that opens that one to the outside never opens the metrics. */}}
{{- define "lib.metricsService" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "lib.metadata" (list . "-metrics" (dict "ranger-relay/role" "metrics") dict) | nindent 2 }}
spec:
  type: ClusterIP
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    {{- include "lib.selectorLabels" . | nindent 4 }}
  ports:
    - name: health
      port: {{ .Values.ports.health }}
      targetPort: health
      protocol: TCP
      appProtocol: http
{{- end -}}

{{- define "lib.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "lib.accountName" . }}
  namespace: {{ .Release.Namespace }}
  labels:
    {{- include "lib.labels" . | nindent 4 }}
  {{- with .Values.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end -}}
