{{- define "lib.serviceMonitor" -}}
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
    - port: health
      path: /metrics
      interval: {{ $monitor.interval }}
      scrapeTimeout: {{ $monitor.scrapeTimeout }}
      relabelings:
        - sourceLabels:
            - __meta_kubernetes_service_label_app_kubernetes_io_instance
          targetLabel: release
{{- end -}}

{{/* The alerts hold templates of their own, which are not for Helm. Objects that they know by name are those of the release. */}}
{{- define "lib.prometheusRule" -}}
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  {{- include "lib.metadata" (list . "" .Values.prometheusRule.labels dict) | nindent 2 }}
spec:
  {{- $runbooks := printf "runbook_url: %sk8s/runbooks/" .Values.prometheusRule.runbooksUrl -}}
  {{- .Files.Get "files/alerts.yaml" | replace "runbook_url: k8s/runbooks/" $runbooks | replace (printf ".*%s" .Chart.Name) (include "lib.fullname" .) | nindent 2 }}
{{- end -}}

{{- define "lib.dashboards" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "lib.metadata" (list . "-dashboards" .Values.dashboards.labels .Values.dashboards.annotations) | nindent 2 }}
data:
  {{- range $path, $_ := .Files.Glob "files/dashboards/*.json" }}
  {{ base $path }}: |
    {{- $.Files.Get $path | nindent 4 }}
  {{- end }}
{{- end -}}
